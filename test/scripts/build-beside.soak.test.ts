import { once } from 'node:events';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

// Two whole builds.
it('a build leaves a server that runs from the one before what it still loads, until it stops', async () => {
  const place = await mkdtemp(join(tmpdir(), 'conclave-beside-'));
  try {
    const project = join(place, 'project');
    for (const name of ['bin', 'commands', 'docs', 'scripts', 'src', 'package.json', 'tsconfig.json'])
      await cp(join(root, name), join(project, name), { recursive: true });
    // Each build is made in a folder of its own below it.
    await mkdir(join(project, 'node_modules'));
    for (const name of (await readdir(join(root, 'node_modules'))).filter((one) => one !== '.cache'))
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name));
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: place,
      XDG_CONFIG_HOME: place,
      TMPDIR: place,
      CONCLAVE_DATA_DIR: join(place, 'data'),
      CONCLAVE_MASTER_PASSWORD: 'twelve green bottles hanging',
    };
    const run = async (words: readonly string[], input = '') =>
      (await execa(process.execPath, words, { cwd: project, env, extendEnv: false, input })).stdout;
    const conclave = async (words: readonly string[], input = '') => await run(['--', 'bin/run.js', ...words], input);
    const hashed = async () => (await readdir(join(project, 'dist'))).filter((name) => /-[A-Z0-9]{8}\.js$/.test(name));

    await run(['scripts/build.mjs']);
    const before = await hashed();
    await conclave(['init', '--generate-password']);
    const server = execa(process.execPath, ['--', 'bin/run.js', 'serve', '--port', '0'], {
      cwd: project,
      env,
      extendEnv: false,
    });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    const [served = ''] = /https?:\/\/\S+/.exec(said.toString()) ?? [];

    // Another core, with which every file has another hash, and another program of the threads.
    for (const file of ['src/base/problem.ts', 'src/node/worker.ts'])
      await appendFile(join(project, file), "Object.assign(globalThis, { built: 'again' });\n");
    await run(['scripts/build.mjs']);
    const after = await hashed();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.length).toBeGreaterThan(before.length);

    // What the server hasn't loaded yet: passwords and keys in threads, vaults, files, the page of a link, a search.
    const note = await readFile(join(place, 'data/first-administrator.txt'), 'utf8');
    await conclave(['login', 'admin', '--password-file', '-'], /^password: (.*)$/m.exec(note)?.[1]);
    await conclave(['vault', 'create', 'Mine']);
    await conclave(['vault', 'add', 'Mine/Mail', 'username=me', '--generate']);
    expect(await conclave(['vault', 'get', 'Mine/Mail', '--field', 'username'])).toBe('me');
    await conclave(['files', 'create', 'Box']);
    await conclave(['files', 'put', 'package.json', 'Box:/package.json']);
    const { url } = JSON.parse(await conclave(['files', 'link', 'Box:/package.json', '--json'])) as { url: string };
    expect(await (await fetch(url.replace(/^https?:\/\/[^/]+/, served))).text()).toContain('<script');
    await conclave(['social', 'post', 'Hello']);
    await conclave(['admin', 'store', 'verify']);

    server.kill('SIGTERM');
    const { exitCode, stderr } = await server;
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/"level":"error"|Cannot find module/);
    await run(['scripts/build.mjs']);
    const last = new Set(await hashed());
    // Some are the same in each build.
    expect(before.filter((name) => !last.has(name)).length).toBeGreaterThan(10);
    expect(await readdir(join(project, 'dist'))).not.toContain('running');
  } finally {
    await rm(place, { recursive: true });
  }
}, 600_000);
