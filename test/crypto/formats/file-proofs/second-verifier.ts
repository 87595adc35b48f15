import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../../support/stores.ts';

const program = fileURLToPath(new URL('second-verifier-process.mjs', import.meta.url));

export interface SecondVerdict {
  readonly exitCode: number;
  readonly said: string;
}

export interface Given {
  readonly flags?: readonly string[];
  /** texts of options that name a file */
  readonly files?: Readonly<Record<string, string>>;
}

export interface SecondVerifier extends AsyncDisposable {
  check(proof: string | Uint8Array, given?: Given): Promise<SecondVerdict>;
}

/** The verifier in scripts/, in a process of its own. It checks one proof after another. */
export async function openSecondVerifier(): Promise<SecondVerifier> {
  const folder = await temporaryFolder();
  const child = fork(program, { execArgv: [] });
  return {
    async check(proof, { flags = [], files = {} } = {}) {
      const path = join(folder.path, 'proof');
      await writeFile(path, proof);
      const named: string[] = [];
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(folder.path, name), text);
        named.push(`--${name}`, join(folder.path, name));
      }
      child.send([path, ...flags, ...named]);
      const [verdict] = (await once(child, 'message')) as [SecondVerdict];
      return verdict;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}
