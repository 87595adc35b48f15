import type { Caller } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { Teller } from '../../kit/waiting.ts';
import type { Ciphers } from '../ciphers.ts';
import type { RemotePath } from '../paths.ts';
import { excluding } from './globs.ts';
import { localContent } from './local-content.ts';
import { failures as newFailures, type Failures, type LeftOut } from './outcome.ts';
import { planSending } from './planning.ts';
import { sendAll, targetOf, type Item, type Sent } from './sending-all.ts';
import { sourcesOf, type OpenSource } from './source.ts';
import { spool } from './spool.ts';
import { assertEqual } from './verifying.ts';

export interface TransferFlags {
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly verify: boolean;
  readonly exclude: readonly string[];
  /** false refuses folders */
  readonly recursive?: boolean;
}

export interface PutOutcome {
  readonly sent: Sent;
  readonly leftOut: readonly LeftOut[];
  readonly failures: Failures;
}

/** Stores files and folders of this machine, or standard input for `-`. */
export async function put(
  terminal: Terminal,
  caller: Caller,
  local: readonly string[],
  to: RemotePath,
  flags: TransferFlags,
  { report }: Pick<Teller, 'report'>,
  signal: AbortSignal,
  ciphers: Ciphers,
): Promise<PutOutcome> {
  const failures = newFailures();
  const options = { caller, ciphers, failures, signal, report, force: flags.force, dryRun: flags.dryRun };
  if (local.includes('-')) {
    if (local.length > 1)
      throw new Problem('invalid', 'USAGE', 'Standard input (-) goes alone, and under a name: Work:/name');
    const target = await targetOf(caller, to, 1);
    const { rename: name } = target;
    if (name === undefined)
      throw new Problem('invalid', 'USAGE', 'Standard input has no name. Add one to the path, such as Work:/name');
    await using spooled = await spool(terminal.stdin as AsyncIterable<Uint8Array>, terminal.env, signal);
    const items = [{ content: spooled.content, below: [], name }];
    const sent = await sendAll({ ...options, target, items, folders: [] });
    if (flags.verify) await verify(sourcesOf(caller, ciphers), sent, items, failures, signal);
    return { sent, leftOut: [], failures };
  }
  const plan = await planSending(local, excluding(flags.exclude), failures);
  const tops =
    plan.files.filter(({ below }) => below.length === 0).length +
    plan.folders.filter(({ length }) => length === 1).length;
  const isFolder = plan.folders.length > 0;
  refuseFolder(plan.folders[0]?.[0], flags);
  const target = await targetOf(caller, to, isFolder || local.length > 1 ? 2 : tops === 0 ? 2 : tops);
  const items = plan.files.map(({ path, stats, below, name }) => ({
    content: localContent(path, stats),
    below,
    name: target.rename ?? name,
  }));
  const sent = await sendAll({ ...options, target, items, folders: plan.folders });
  if (flags.verify) await verify(sourcesOf(caller, ciphers), sent, items, failures, signal);
  return { sent, leftOut: plan.leftOut, failures };
}

/** @throws Problem invalid USAGE */
export function refuseFolder(name: string | undefined, { recursive = true }: TransferFlags): void {
  if (name !== undefined && !recursive)
    throw new Problem('invalid', 'USAGE', `${JSON.stringify(name)} is a folder. Add --recursive to copy it.`);
}

/** Reads back what was stored, and compares it with what it was made of. */
async function verify(
  open: OpenSource,
  sent: Sent,
  items: readonly Item[],
  failures: Failures,
  signal: AbortSignal,
): Promise<void> {
  for (const { label, file } of sent.files) {
    const content = items.find((one) => one.content.label === label)?.content;
    if (content === undefined) continue;
    signal.throwIfAborted();
    await assertEqual(await open(file), label, content.pieces(0, content.size), { signal }).catch((error: unknown) =>
      failures.add(label, error),
    );
  }
}
