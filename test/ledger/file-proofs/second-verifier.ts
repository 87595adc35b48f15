import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

const program = fileURLToPath(new URL('../../../scripts/verify-file-proof.mjs', import.meta.url));

export interface SecondVerdict {
  readonly exitCode: number | undefined;
  readonly said: string;
}

/** What the verifier in scripts/ says of a proof, in a process of its own. @param files texts of options that name a file */
export async function secondVerifier(
  folder: string,
  proof: string | Uint8Array,
  { flags = [], files = {} }: { flags?: readonly string[]; files?: Readonly<Record<string, string>> } = {},
): Promise<SecondVerdict> {
  const path = join(folder, 'second.proof');
  await writeFile(path, proof);
  const named: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, `second.${name}`), text);
    named.push(`--${name}`, join(folder, `second.${name}`));
  }
  const run = await execaNode(program, [path, ...flags, ...named], { reject: false, all: true });
  return { exitCode: run.exitCode, said: run.all };
}
