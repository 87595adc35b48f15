import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { outside, root } from './bundle.mjs';
import { licencesOf } from './debian/copyright.mjs';
import { filesBelow, guidesOf } from './pack.mjs';
import { archive, inStage, openFolders, put } from './stage.mjs';

/** For a quarter of a megabyte for each of the others, nobody could run the server there. */
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
const prebuilds = platforms.map((platform) => `prebuilds/${platform}`);

/** What runs, and the licence, of each package that is not in the bundle. The rest of them is for who builds or reads them. */
const kept = {
  '@phc/format': ['index.js', 'license'],
  '@silvia-odwyer/photon-node': ['photon_rs.js', 'photon_rs_bg.wasm', 'LICENSE.md'],
  argon2: ['argon2.cjs', ...prebuilds, 'LICENSE', 'argon2/LICENSE'],
  bcrypt: ['bcrypt.js', 'promises.js', ...prebuilds, 'LICENSE'],
  'node-gyp-build': ['index.js', 'node-gyp-build.js', 'LICENSE'],
  // The only build that the store knows: src/platform/store/sqljs/build.ts.
  'sql.js': ['dist/sql-wasm-debug.js', 'dist/sql-wasm-debug.wasm', 'LICENSE'],
};

/**
 * The package for `npm install -g`, with everything that it needs: npm fetches nothing for it, and runs no script. The same bytes each time.
 *
 * @param {string} target the file
 * @param {import('./release.mjs').Program} program
 * @param {number} epoch seconds since 1970, of everything in it
 */
export async function makeNpmPackage(target, program, epoch) {
  await inStage('npm', async (stage) => {
    // npm takes the first folder of an archive for the package, whatever its name.
    const tree = join(stage, 'package');
    await putProgram(tree, program);
    await putDocuments(tree, program);
    for (const name of Object.keys(kept)) await putPackage(tree, name);
    await openFolders(tree);
    const tar = join(stage, 'package.tar');
    await archive(tar, stage, epoch, { names: ['package'] });
    await writeFile(target, gzipSync(await readFile(tar), { level: 9 }));
  });
}

async function putProgram(tree, { folder }) {
  const pjson = await readPackage(root);
  for (const name of pjson.files.filter((each) => each.startsWith('bin/')))
    await put(tree, name, await readFile(join(root, name)), name === 'bin/run.js' ? 0o755 : 0o644);
  for (const file of await filesBelow(join(folder, 'dist'))) {
    const text = await readFile(file, 'utf8');
    if (!file.endsWith('.map')) await put(tree, relative(folder, file), file.endsWith('.js') ? withoutMap(text) : text);
  }
  await put(tree, 'oclif.manifest.json', await readFile(join(folder, 'oclif.manifest.json')));
  await put(tree, 'package.json', packageText(ownPackage(pjson)));
}

/**
 * A file of the bundle by itself. Where no source map has to stay right, what esbuild writes into each of a thousand files can be shorter by
 * a megabyte. Names that occur in traces stay.
 */
function withoutMap(code) {
  const short = code
    .replace(/\/\/# sourceMappingURL=.*\n$/, '')
    .replace(esbuildHead, shortHead)
    .replaceAll(/\bimport_chunk_([A-Z0-9]{8})\b/g, 'c_$1');
  return withRows(short);
}

/**
 * Most of what a file requires has no use for its name: esbuild lists everything that an entry needs at any distance, for what it does when it
 * is loaded. Such lines that follow each other become one, in the same order.
 */
function withRows(code) {
  const isUsed = (name) => code.indexOf(name) !== code.lastIndexOf(name);
  return code
    .replaceAll(/\bvar (c_[A-Z0-9]{8})=(require\("[./]+chunk-[A-Z0-9]{8}\.js"\);)/g, (line, name, call) =>
      isUsed(name) ? line : call,
    )
    .replaceAll(/(?<!=)(?:\brequire\("([./]+)chunk-[A-Z0-9]{8}\.js"\);){3,}/g, (row, folder) => {
      const hashes = [...row.matchAll(/chunk-([A-Z0-9]{8})/g)].map(([, hash]) => hash);
      return `for(const c of"${hashes.join(' ')}".split(" "))require("${folder}chunk-"+c+".js");`;
    });
}

/** How a CommonJS module of esbuild hands out its exports: as a copy of an object that nobody else has. */
const esbuildHead =
  'var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;' +
  'var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:true})};' +
  'var __copyProps=(to,from,except,desc)=>{if(from&&typeof from==="object"||typeof from==="function"){for(let key of __getOwnPropNames(from))if(!__hasOwnProp.call(to,key)&&key!==except)__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable})}return to};' +
  'var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:true}),mod);';
const shortHead =
  'var __defProp=Object.defineProperty,' +
  '__export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:true})},' +
  '__toCommonJS=mod=>__defProp(mod,"__esModule",{value:true});';

/** Everything else that the program needs is in dist/. */
function ownPackage({ name, version, description, license, bin, type, dependencies, engines, oclif }) {
  const needed = Object.fromEntries(outside.map((each) => [each, dependencies[each]]));
  const bundled = { dependencies: needed, bundleDependencies: outside };
  return { name, version, description, license, bin, type, ...bundled, engines, oclif };
}

async function putDocuments(tree, { folder, packages }) {
  for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE']) await put(tree, name, await readFile(join(root, name)));
  for (const { name, file } of await guidesOf(folder)) await put(tree, `docs/${name}`, await readFile(file));
  const bundled = packages.filter((each) => kept[each.slice(0, each.lastIndexOf(' '))] === undefined);
  await put(tree, 'licences.gz', gzipSync(await licencesOf({ root, packages: bundled }), { level: 9 }));
}

async function putPackage(tree, name) {
  const from = join(root, 'node_modules', name);
  const to = `node_modules/${name}`;
  for (const each of kept[name]) {
    const files = (await stat(join(from, each))).isDirectory()
      ? await filesBelow(join(from, each))
      : [join(from, each)];
    for (const file of files) await put(tree, join(to, relative(from, file)), await readFile(file));
  }
  await put(tree, `${to}/package.json`, packageText(withoutBuild(await readPackage(from))));
}

/** What makes npm run something, or miss something. */
const unneeded = new Set(['bin', 'binary', 'dependencies', 'devDependencies', 'files', 'scripts']);

/** What a package says of itself, as long as it is installed and not built. */
function withoutBuild(pjson) {
  const needed = Object.entries(pjson.dependencies ?? {}).filter(([name]) => kept[name] !== undefined);
  const rest = Object.entries(pjson).filter(([key]) => !unneeded.has(key));
  return { ...Object.fromEntries(rest), dependencies: Object.fromEntries(needed) };
}

async function readPackage(folder) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

function packageText(content) {
  return `${JSON.stringify(content, null, 2)}\n`;
}
