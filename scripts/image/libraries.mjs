import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The Debian packages that have what Node, and machine code in C++, is linked with. */
const names = ['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

/**
 * @typedef {object} Libraries
 * @property {string} system whose packages these are: debian, ubuntu
 * @property {{ name: string, version: string, architecture: string, copyright: string }[]} packages `copyright`: its file of that name
 * @property {Map<string, string>} files where the libraries are on this machine, by where programs look for them
 */

/**
 * The libraries that programs are loaded with, of the Debian packages that are installed here.
 *
 * @param {readonly string[]} programs files; the first of them is no library
 * @returns {Promise<Libraries>}
 */
export async function librariesOf(programs) {
  const installed = await listedFiles();
  const fileOf = (name) => {
    const file = installed.find((each) => basename(each) === name);
    if (file === undefined)
      throw new Error(`The image needs ${name}, and none of these packages has it: ${names.join(', ')}`);
    return file;
  };
  // It has to be where the program says, and loads the others.
  const { loader } = await linksOf(programs[0]);
  const files = new Map([[loader, fileOf(basename(loader))]]);
  const found = new Set([basename(loader)]);
  const left = [...programs];
  for (const file of left) {
    for (const name of (await linksOf(file)).needed) {
      if (found.has(name)) continue;
      found.add(name);
      left.push(fileOf(name));
      // Wherever this system has the folder /lib.
      files.set(fileOf(name).replace(/^\/(?:usr\/)?/, '/usr/'), fileOf(name));
    }
  }
  return { system: await systemHere(), packages: await Promise.all(names.map(packageOf)), files };
}

async function listedFiles() {
  const { stdout } = await run('dpkg-query', ['--listfiles', ...names]).catch(({ stderr }) => {
    throw new Error(
      `${stderr}The image is made of the Debian packages ${names.join(', ')}, and all of them have to be installed.`,
    );
  });
  return stdout.split('\n');
}

/** What an ELF file says of the libraries that it is loaded with, and of the program that loads it. */
async function linksOf(file) {
  const { stdout } = await run('readelf', ['--wide', '--dynamic', '--program-headers', file], { env: { LC_ALL: 'C' } });
  const needed = [...stdout.matchAll(/\(NEEDED\)\s+Shared library: \[(.+)\]/g)].map(([, name]) => name);
  const [, loader] = /Requesting program interpreter: (.+)\]/.exec(stdout) ?? [];
  return { needed, loader };
}

async function packageOf(name) {
  const { stdout } = await run('dpkg-query', ['--show', '--showformat', '${Version} ${Architecture}', name]);
  const [version, architecture] = stdout.split(' ');
  return { name, version, architecture, copyright: await readFile(`/usr/share/doc/${name}/copyright`, 'utf8') };
}

/** The name that os-release(5) has for it. */
async function systemHere() {
  return /^ID="?(\w+)"?$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1] ?? 'debian';
}
