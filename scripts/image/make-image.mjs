import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { root } from '../bundle.mjs';
import { copyrightOf, licencesOf, LICENCES } from '../debian/copyright.mjs';
import { archive, inStage, openFolders, put } from '../stage.mjs';

/** nobody of Debian, by number, for whom looks at no names. */
const nobody = 65_534;
const data = '/var/lib/conclave';

const accounts = {
  passwd: `root:x:0:0:root:/root:/sbin/nologin\nnobody:x:${nobody}:${nobody}:nobody:/nonexistent:/sbin/nologin\n`,
  group: `root:x:0:\nnogroup:x:${nobody}:\n`,
  // Names in a file of the container come first.
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * The image for containers, as an archive of an OCI layout: https://github.com/opencontainers/image-spec/blob/main/image-layout.md. In it are the
 * program, the libraries that it is loaded with, and nothing else. The same bytes each time.
 *
 * @param {string} target the file
 * @param {import('../release.mjs').Program & { file: string }} program `file`: the program as one file
 * @param {import('../platforms.mjs').Platform} platform
 * @param {import('./libraries.mjs').Libraries} libraries
 * @param {number} epoch seconds since 1970, of everything in it
 */
export async function makeImage(target, program, { node, debian }, libraries, epoch) {
  await inStage('image', async (stage) => {
    const layer = join(stage, 'layer.tar');
    await putLayer(layer, stage, { program, node, libraries }, epoch);
    const layout = join(stage, 'layout');
    await describeLayer(
      layer,
      `${layout}:${program.version}`,
      { ...program, debian },
      new Date(epoch * 1000).toISOString(),
    );
    // Another layer was there before each change.
    await umoci(['gc', '--layout', layout]);
    await rm(target, { force: true });
    // umoci makes files that only their owner reads.
    const more = ['--mode=u=rwX,go=rX'];
    await archive(target, layout, epoch, { names: ['oci-layout', 'index.json', 'blobs'], more });
  });
}

async function putLayer(layer, stage, { program, node, libraries }, epoch) {
  const tree = join(stage, 'tree');
  await put(tree, 'usr/bin/conclave', await readFile(program.file), 0o755);
  for (const [place, file] of libraries.files) await put(tree, place, await readFile(file), 0o755);
  for (const [name, text] of Object.entries(accounts)) await put(tree, `etc/${name}`, text);
  await putCopyrights(tree, { node, packages: program.packages }, libraries);
  const own = join(stage, 'own');
  await mkdir(join(tree, 'tmp'));
  for (const folder of [join(tree, dirname(data)), join(own, data)]) await mkdir(folder, { recursive: true });
  await openFolders(tree);
  await chmod(join(tree, 'tmp'), 0o1777);
  await chmod(join(own, data), 0o700);
  await archive(layer, tree, epoch);
  // A volume that is new has its owner from here.
  await archive(layer, own, epoch, { names: [`.${data}`], owner: nobody });
}

async function putCopyrights(tree, { node, packages }, libraries) {
  const documents = 'usr/share/doc';
  await put(tree, `${documents}/conclave/copyright`, await copyrightOf({ root, node, packages }));
  await put(tree, LICENCES.slice(1), gzipSync(await licencesOf({ root, node, packages }), { level: 9 }));
  const common = new Set();
  for (const { name, copyright } of libraries.packages) {
    await put(tree, `${documents}/${name}/copyright`, copyright);
    for (const [path] of copyright.matchAll(/\/usr\/share\/common-licenses\/\w[\w.-]*\w/g)) common.add(path);
  }
  for (const path of [...common].toSorted()) await put(tree, path, await readFile(path));
}

/** @param {string} image a layout and a tag, neither of which is there yet */
async function describeLayer(layer, image, { name, version, description, license, debian }, created) {
  const history = ['--history.created', created, '--history.created_by', 'scripts/release'];
  const annotations = { title: name, description, version, created, licenses: license };
  const marks = Object.entries(annotations).map(([key, text]) => `org.opencontainers.image.${key}=${text}`);
  const config = {
    user: `${nobody}:${nobody}`,
    entrypoint: '/usr/bin/conclave',
    workingdir: data,
    volume: data,
    exposedports: '7878/tcp',
    stopsignal: 'SIGTERM',
  };
  const env = ['PATH=/usr/bin', `CONCLAVE_DATA_DIR=${data}`, 'CONCLAVE_HOST=0.0.0.0'];
  await umoci(['init', '--layout', image.slice(0, image.lastIndexOf(':'))]);
  await umoci(['new', '--image', image]);
  await umoci(['raw', 'add-layer', '--image', image, ...history, layer]);
  await umoci([
    'config',
    '--image',
    image,
    '--no-history',
    '--created',
    created,
    '--os',
    'linux',
    '--architecture',
    debian,
    ...Object.entries(config).flatMap(([key, value]) => [`--config.${key}`, value]),
    ...['serve', '--init'].flatMap((word) => ['--config.cmd', word]),
    ...env.flatMap((variable) => ['--config.env', variable]),
    ...marks.flatMap((mark) => ['--config.label', mark, '--manifest.annotation', mark]),
  ]);
}

async function umoci(words) {
  await promisify(execFile)('umoci', words);
}
