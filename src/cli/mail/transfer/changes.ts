import { perform, type Caller } from '../../../client/perform.ts';
import { mail } from '../../../contract/mail.ts';
import type { ReplyOf } from '../../../contract/operation.ts';
import { patiently } from './patience.ts';

type Page = ReplyOf<typeof mail.listChanges>;
export type ServerMessage = Page['changed'][number];

/** As many as one answer can have. */
const PAGE = 1_000;

/** What changed after a number, and up to which number everything is known then. */
export interface Changes {
  /** in the order of their last changes */
  readonly changed: ReadonlyMap<string, ServerMessage>;
  readonly removed: ReadonlySet<string>;
  readonly modseq: number;
}

/** @param since 0 for all messages */
export async function changesSince(caller: Caller, since: number): Promise<Changes> {
  const changed = new Map<string, ServerMessage>();
  const removed = new Set<string>();
  for (let modseq = since; ;) {
    const page = await patiently(() => perform(caller, mail.listChanges, { since: modseq, limit: PAGE }));
    for (const message of page.changed) {
      changed.delete(message.id);
      changed.set(message.id, message);
    }
    for (const { id } of page.removed) {
      changed.delete(id);
      removed.add(id);
    }
    ({ modseq } = page);
    if (!page.hasMore) return { changed, removed, modseq };
  }
}
