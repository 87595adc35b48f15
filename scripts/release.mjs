// Makes the files of a release in a folder. It runs on the Node that becomes part of them: node scripts/release.mjs FOLDER
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './bundle.mjs';
import { makeOneFile } from './one-file.mjs';

const [target] = process.argv.slice(2);
const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

try {
  const file = `${name}-${version}-${process.platform}-${process.arch}`;
  await makeOneFile(join(target, file));
  await writeSums(target, [file]);
  process.stdout.write(`${[file, 'SHA256SUMS'].map((made) => join(target, made)).join('\n')}\n`);
} catch (error) {
  // esbuild has printed its own errors, with the lines that they are about.
  if (error.errors === undefined) process.stderr.write(`${error.stderr || error.stack}\n`);
  process.exitCode = 1;
}

/** In the form that `sha256sum --check` reads. */
async function writeSums(folder, files) {
  const lines = files.map(async (file) => {
    const sum = createHash('sha256')
      .update(await readFile(join(folder, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  await writeFile(join(folder, 'SHA256SUMS'), (await Promise.all(lines)).join(''));
}
