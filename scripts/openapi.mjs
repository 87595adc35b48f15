// Writes the OpenAPI document with the default configuration: node scripts/openapi.mjs [file], without a file to standard output.
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { tsImport } from 'tsx/esm/api';

const { loadConfig } = await tsImport('../src/config/load.ts', import.meta.url);
const { renderReference } = await tsImport('../src/http/reference/rendered.ts', import.meta.url);
const { version } = await tsImport('../src/version.ts', import.meta.url);

const [file] = process.argv.slice(2);
const { config } = await loadConfig({ flags: {}, env: {}, home: homedir(), cwd: process.cwd() });
const text = `${JSON.stringify(JSON.parse(renderReference(config.limits, version).document), null, 2)}\n`;
if (file === undefined) process.stdout.write(text);
else await writeFile(file, text);
