import type { Context } from '../../../service/context.ts';
import type { NodeDirectory } from '../../../service/ports/outbox.ts';
import { assertSigning } from '../../../platform/ledger/witness/stop.ts';
import type { Db } from '../../../platform/store/database.ts';
import { endOf, signedWriters, type ProvenWriters } from '../acl/proven-writers.ts';
import { listAt, poolHead } from '../acl/store.ts';

/** The access list for messages to single nodes, as a transaction sees it. */
export function nodeDirectory({ clock, log }: Pick<Context, 'clock' | 'log'>): NodeDirectory {
  let known: { readonly state: string; readonly writers: ProvenWriters | undefined } | undefined;
  let earlier: { readonly name: string; readonly keys: ReadonlyMap<string, string> } | undefined;

  /** Checking a list takes long, so it is done once. */
  async function writersNow(db: Db): Promise<ProvenWriters | undefined> {
    const head = await poolHead(db);
    if (head === undefined) return undefined;
    const state = `${head.hash} ${head.decisions}`;
    if (known?.state !== state) known = { state, writers: await signedWriters({ db, log }) };
    return known.writers;
  }

  /** The keys of an earlier version. Many receipts name the same one, and a list can be long. */
  async function keysAt(db: Db, poolId: string, version: number, head: string): Promise<ReadonlyMap<string, string>> {
    // Versions below the active one are fixed by its hash.
    const name = `${head} ${version}`;
    if (earlier?.name !== name) {
      const writers = (await listAt(db, poolId, version))?.document.writers ?? [];
      earlier = { name, keys: new Map(writers.map(({ nodeId, publicKey }) => [nodeId, publicKey])) };
    }
    return earlier.keys;
  }

  return {
    async head(db) {
      const head = await poolHead(db);
      return head === undefined ? undefined : { poolId: head.pool_id, version: head.version };
    },
    async standing(db, nodeId) {
      const named = (await writersNow(db))?.byId.get(nodeId);
      if (named === undefined) return 'absent';
      const end = endOf(named);
      return end !== null && end <= clock.now() ? 'expired' : 'admitted';
    },
    async keyAt(db, nodeId, version) {
      const head = await poolHead(db);
      if (head === undefined || version > head.version) return undefined;
      if (version === head.version) return (await writersNow(db))?.byId.get(nodeId)?.publicKey;
      return (await keysAt(db, head.pool_id, version, head.hash)).get(nodeId);
    },
    async serving(db, domain) {
      const writers = [...((await writersNow(db))?.byId.values() ?? [])];
      const found = writers.find(({ mailDomain }) => mailDomain === domain.toLowerCase());
      const end = found === undefined ? null : endOf(found);
      if (found === undefined || (end !== null && end <= clock.now())) return undefined;
      return { nodeId: found.nodeId, publicKey: found.publicKey };
    },
    assertSigning: async (db) => await assertSigning({ db }),
  };
}
