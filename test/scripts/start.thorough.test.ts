import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Place extends AsyncDisposable {
  readonly folder: string;
  /** Puts a program of a few lines of shell before all others on the PATH. */
  program(name: string, ...lines: string[]): Promise<void>;
  readonly env: Record<string, string>;
}

async function openPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-scripts-'));
  const programs = join(folder, 'programs');
  await mkdir(programs);
  return {
    folder,
    program: async (name, ...lines) => {
      await writeFile(join(programs, name), ['#!/bin/sh', ...lines, ''].join('\n'));
      await chmod(join(programs, name), 0o755);
    },
    env: {
      HOME: folder,
      PATH: [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

describe('scripts/install', () => {
  async function openProject() {
    const place = await openPlace();
    const project = join(place.folder, 'a project');
    await mkdir(project);
    await cp(join(root, 'scripts/install'), join(project, 'scripts/install'), { recursive: true });
    await writeFile(join(project, 'package-lock.json'), '{}');
    await place.program(
      'npm',
      `echo "$PWD: $*" >> "${place.folder}/calls"`,
      'mkdir -p node_modules',
      'echo {} > node_modules/.package-lock.json',
    );
    return {
      ...place,
      install: async () => {
        const options = { cwd: '/', env: place.env, extendEnv: false, reject: false } as const;
        return await execa(join(project, 'scripts/install'), options);
      },
      calls: async () =>
        (await readFile(join(place.folder, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
    };
  }

  it('installs once, without the scripts of packages and with what builds', async () => {
    await using project = await openProject();
    await project.install();
    const { exitCode } = await project.install();
    expect(exitCode).toBe(0);
    const place = join(project.folder, 'a project');
    expect(await project.calls()).toEqual([`${place}: ci --ignore-scripts --include=dev --no-audit --no-fund`]);
  });

  it('installs again when the list of packages has changed', async () => {
    await using project = await openProject();
    await project.install();
    const later = new Date(Date.now() + 60_000);
    await utimes(join(project.folder, 'a project/package-lock.json'), later, later);
    await project.install();
    expect(await project.calls()).toHaveLength(2);
  });

  it('says what to do when the lists disagree', async () => {
    await using project = await openProject();
    await project.program('npm', 'echo "npm error npm ci can only install when they are in sync" >&2', 'exit 1');
    const { exitCode, stderr } = await project.install();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('package.json and package-lock.json disagree');
    expect(stderr).toContain('npm error');
  });

  it('is not fooled by an installation that failed', async () => {
    await using project = await openProject();
    await project.program('npm', 'mkdir -p node_modules/half', 'exit 1');
    expect((await project.install()).exitCode).toBe(1);
    expect((await project.install()).exitCode).toBe(1);
  });

  it.each(['v18.20.4', 'v20.18.3'])('refuses Node %s', async (version) => {
    await using project = await openProject();
    await project.program('node', `echo ${version}`);
    const { exitCode, stderr } = await project.install();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`is ${version}`);
    expect(await project.calls()).toEqual([]);
  });
});

/** Waits for a line on either output of a server. */
async function line(server: ChildProcess, pattern: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      if (pattern.test(said)) resolve(said);
    };
    server.stdout?.on('data', listen);
    server.stderr?.on('data', listen);
    server.once('close', (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
}

describe('scripts/start', () => {
  it('makes a store with an administrator once, serves it by options and by variables, and stops when it is told to', async () => {
    await using place = await openPlace();
    await place.program('npm', 'echo "the tests install nothing; run npm ci" >&2', 'exit 1');
    const start = async (options: string[], variables: Record<string, string>, limit: string | null) => {
      const server = spawn(join(root, 'scripts/start'), options, {
        cwd: place.folder,
        env: { ...place.env, ...variables },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = await line(server, /Conclave serves \S+\n/);
      const url = /Conclave serves (\S+)/.exec(said)?.[1] ?? '';
      expect(new URL(url).hostname).toBe('127.0.0.1');
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      expect((await fetch(`${url}/api/user/verify`)).headers.get('ratelimit-limit')).toBe(limit);
      server.kill('SIGTERM');
      const [code] = await once(server, 'exit');
      expect(code).toBe(0);
      return said;
    };
    const note = join(place.folder, 'data/first-administrator.txt');
    expect(await start(['--port', '0', '--data-dir', 'data'], {}, '3000')).toContain(note);
    const before = await readFile(note, 'utf8');
    expect((await stat(note)).mode & 0o777).toBe(0o600);
    expect(before).toMatch(/^username: admin$/m);

    const variables = { CONCLAVE_PORT: '0', CONCLAVE_DATA_DIR: 'data', CONCLAVE_RATE_LIMITS: 'off' };
    expect(await start([], variables, null)).not.toContain('first-administrator');
    expect(await readFile(note, 'utf8')).toBe(before);
  });
});
