/**
 * Writes the OpenAPI document with the default configuration, to a file or to standard output.
 *
 *   npx tsx scripts/openapi.ts [file]
 */
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { loadConfig } from '../src/config/load.ts';
import { allTopics } from '../src/contract/all.ts';
import { renderReference } from '../src/http/pages/reference/rendered.ts';
import { version } from '../src/base/version.ts';

const [file] = process.argv.slice(2);
const { config } = await loadConfig({ flags: {}, env: {}, home: homedir(), cwd: process.cwd() });
const text = `${JSON.stringify(JSON.parse(renderReference(allTopics, config.limits, version).document), null, 2)}\n`;
if (file === undefined) process.stdout.write(text);
else await writeFile(file, text);
