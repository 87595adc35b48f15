import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * @typedef {object} Platform what one file is for
 * @property {string} name as Node has it, such as `linux-x64`
 * @property {string} debian Debian's name of the processor
 * @property {{ version: string, program: string, folder: string }} node the Node that becomes part of the file, and where its package is
 * @property {readonly [command: string, ...words: string[]]} start what starts that Node on this machine
 * @property {string} strip the program of binutils for it
 */

const kinds = {
  'linux-x64': { debian: 'amd64', emulator: [], strip: 'strip' },
  // V8 compiles for the processor that it runs on, so what is compiled ahead has to come from there.
  'linux-arm64': {
    debian: 'arm64',
    emulator: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
    strip: 'aarch64-linux-gnu-strip',
  },
};

/**
 * @param {Record<string, string>} programs where Node is, by the names of the platforms
 * @returns {Promise<Platform[]>}
 */
export async function platformsOf(programs) {
  const wanted = JSON.parse(await readFile(new URL('release-node.json', import.meta.url), 'utf8'));
  return Object.entries(programs).map(([name, program]) => {
    const { debian, emulator, strip } = kinds[name];
    const node = { version: wanted[name].version, program, folder: dirname(dirname(program)) };
    return { name, debian, node, start: [...emulator, program], strip };
  });
}
