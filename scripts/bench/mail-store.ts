import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { program } from './served-node.ts';
import { cleanEnvironment } from './server-process.ts';

/** The domain of the node whose e-mail is measured. */
export const domain = 'bench.example';

/** Makes a store with an administrator. @returns the settings of a server for it */
export function initMail(dataDir: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env = { CONCLAVE_DATA_DIR: dataDir, CONCLAVE_MAIL_DOMAIN: domain, ...more };
  run(['init', '--generate-password', '--if-missing'], env);
  return env;
}

/** Makes another member in a store that nobody serves. */
export function addMember(env: Readonly<Record<string, string>>, username: string): void {
  const line = ['account', 'register', '--username', username, '--email', `${username}@people.example`];
  run(line, { ...env, CONCLAVE_PASSWORD: 'a secret of this bench alone' });
}

function run(line: readonly string[], env: Readonly<Record<string, string>>): void {
  const { status, stderr } = spawnSync(process.execPath, [program, ...line], { env: cleanEnvironment(env) });
  if (status !== 0) throw new Error(`conclave ${line.join(' ')} ended with ${status}: ${stderr.toString()}`);
}

export interface SignedIn {
  readonly base: string;
  readonly username: string;
  readonly headers: { readonly authorization: string };
}

/** Signs the administrator of a store in. */
export async function signIn(port: number, dataDir: string): Promise<SignedIn> {
  const note = await readFile(join(dataDir, 'first-administrator.txt'), 'utf8');
  const [username = '', password] = ['username', 'password'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(note)?.[1],
  );
  const base = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${base}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { data } = (await answer.json()) as { data: { token: string } };
  return { base, username, headers: { authorization: `Bearer ${data.token}` } };
}
