import * as v from 'valibot';
import { operation, rawOperation } from './operation.ts';
import { paged } from './page.ts';
import { hex, integer, timestamp } from './text.ts';

/** The ledger of the node. Everyone can read its records, with proofs that do not require trust in the node. */

/** A number can hold integers up to 2^53 - 1. The tree's numbering needs one bit more than the size. */
const anySize = 2 ** 52;

const hash = v.pipe(v.string(), v.description('SHA-256, 64 hex digits'));
const proof = v.pipe(v.array(hash), v.description('hashes of the proof, in the order of RFC 6962'));

export const entry = v.object({
  index: v.pipe(v.number(), v.description('zero-based')),
  leafHash: hash,
  entry: v.pipe(
    v.string(),
    v.description('canonical JSON (RFC 8785); the leaf hash is over a zero byte and its UTF-8'),
  ),
});
export type RecordedEntry = v.InferOutput<typeof entry>;

export const inclusion = v.object({ index: v.number(), leafHash: hash, size: v.number(), root: hash, proof });
const check = v.object({ name: v.string(), ok: v.boolean(), detail: v.string() });

/** Why the node signs nothing. */
export const stop = v.object({
  kind: v.picklist(['rolled-back', 'rewritten', 'cloned']),
  what: v.string(),
  toldBy: v.pipe(v.string(), v.description('what it was noticed by: a node id, or the file beside the store')),
  noticedAt: timestamp,
});
export type LedgerStop = v.InferOutput<typeof stop>;

/** What the node noticed about another one, and can't prove to others. */
export const notice = v.object({
  nodeId: v.string(),
  kind: v.picklist(['older', 'copied', 'unproven', 'recovered']),
  what: v.string(),
  noticedAt: timestamp,
});
export type LedgerNotice = v.InferOutput<typeof notice>;

const oldHead = v.object({ logKey: v.string(), size: v.number(), root: hash });

const contradiction = v.object({
  id: v.pipe(v.string(), v.description('SHA-256 of `document`, hex')),
  nodeId: v.string(),
  kind: v.picklist(['same-size', 'not-continued', 'after-recovery', 'recovered-twice', 'forgot-entries']),
  what: v.string(),
  one: v.pipe(v.string(), v.description('signed checkpoint')),
  other: v.pipe(v.string(), v.description('signed checkpoint that contradicts it')),
  source: v.pipe(v.string(), v.description('the node that showed the second one')),
  foundAt: timestamp,
  more: v.pipe(v.number(), v.description('contradictions of the same node that were counted, not kept')),
  document: v.pipe(
    v.string(),
    v.description('a file that shows it to anybody; empty if an earlier version kept the contradiction'),
  ),
});
export type LedgerContradiction = v.InferOutput<typeof contradiction>;

export const ledger = {
  head: operation({
    id: 'ledger.head',
    method: 'GET',
    path: '/ledger',
    envelope: 'system',
    auth: 'none',
    summary: 'Show the size, the root and the keys of the ledger',
    description: 'The root is that of an RFC 6962 tree over all entries.',
    input: v.object({}),
    reply: v.object({
      origin: v.pipe(v.string(), v.description('name of the log in its checkpoints')),
      logKey: v.pipe(v.string(), v.description('verifier key of the log, as c2sp.org/signed-note writes it')),
      chainId: v.pipe(v.string(), v.description('SHA-256 of `logKey`, hex')),
      nodeId: v.string(),
      publicKey: v.pipe(v.string(), v.description("the node's identity, secp256k1, compressed, hex")),
      size: v.number(),
      root: hash,
      genesis: v.pipe(
        v.nullable(v.number()),
        v.description('index of the entry that binds the log key to the node; null while the ledger is empty'),
      ),
      witnessKey: v.pipe(
        v.string(),
        v.description('verifier key with which the node cosigns ledgers of others (c2sp.org/tlog-cosignature)'),
      ),
      cosigned: v.pipe(
        v.nullable(v.object({ size: v.number(), witnesses: v.number() })),
        v.description('the newest checkpoint that other nodes have cosigned, and how many have'),
      ),
      stopped: v.pipe(v.array(stop), v.description('why the node signs nothing; empty: it signs')),
      contradictions: v.pipe(
        v.number(),
        v.description('contradictions in ledgers of other nodes that this node keeps'),
      ),
    }),
    status: 200,
    message: 'Ledger',
    errors: ['LEDGER_DAMAGED'],
  }),
  checkpoint: rawOperation({
    id: 'ledger.checkpoint',
    method: 'GET',
    path: '/ledger/checkpoint',
    envelope: 'system',
    auth: 'none',
    summary: 'Get the signed head of the ledger (c2sp.org/tlog-checkpoint)',
    description:
      'Keep this text. With an older checkpoint, a client can ask for a proof that the ledger only grew. ' +
      'Cosignatures of other nodes follow the signatures of this one.',
    input: v.object({
      which: v.pipe(
        v.optional(v.picklist(['newest', 'cosigned']), 'newest'),
        v.description('`cosigned`: the newest one that other nodes have cosigned, if there is one'),
      ),
    }),
    status: 200,
    errors: ['LEDGER_DAMAGED', 'NODE_STOPPED', 'STORE_FULL'],
    accepts: [],
    produces: ['text/plain'],
  }),
  entries: operation({
    id: 'ledger.entries',
    method: 'GET',
    path: '/ledger/entries',
    envelope: 'system',
    auth: 'none',
    summary: 'List entries by index, oldest first',
    description:
      '`limit` is at most 1000, and 100 by default. `next` is present when there are more entries in the range. ' +
      'A cursor continues after a page with the same `from` and `to`.',
    ...paged({
      name: 'entries',
      of: entry,
      filter: {
        from: v.pipe(v.optional(integer(0, anySize), 0), v.description('index of the first entry')),
        to: v.optional(
          v.pipe(integer(0, anySize), v.description('index after the last; default: the size of the ledger')),
        ),
      },
      more: {
        size: v.pipe(v.number(), v.description('number of entries in the ledger now')),
        next: v.optional(v.number()),
      },
      errors: ['LEDGER_TOO_SMALL', 'LEDGER_DAMAGED'],
      most: 1_000,
      limit: 100,
    }),
    status: 200,
    message: 'Entries',
  }),
  inclusion: operation({
    id: 'ledger.inclusion',
    method: 'GET',
    path: '/ledger/proof/inclusion',
    envelope: 'system',
    auth: 'none',
    summary: 'Get a proof that an entry is in the ledger of a given size',
    description: 'Name the entry by `index` or by `hash`.',
    input: v.object({
      index: v.optional(v.pipe(integer(0, anySize), v.description('index of the entry'))),
      hash: v.optional(v.pipe(hex(32), v.description('leaf hash of the entry'))),
      size: v.optional(v.pipe(integer(1, anySize), v.description('size of the ledger; default: what it is now'))),
    }),
    reply: inclusion,
    status: 200,
    message: 'Proof',
    errors: ['LEDGER_TOO_SMALL', 'LEDGER_ENTRY_NOT_FOUND', 'LEDGER_DAMAGED'],
  }),
  consistency: operation({
    id: 'ledger.consistency',
    method: 'GET',
    path: '/ledger/proof/consistency',
    envelope: 'system',
    auth: 'none',
    summary: 'Get a proof that a smaller ledger is the beginning of a larger one',
    description: 'A consistency proof of RFC 6962: the hashes from which both roots follow.',
    input: v.object({
      from: v.pipe(integer(1, anySize), v.description('the smaller size, at least 1')),
      to: v.optional(v.pipe(integer(1, anySize), v.description('the larger size; default: what it is now'))),
    }),
    reply: v.object({ from: v.number(), to: v.number(), fromRoot: hash, toRoot: hash, proof }),
    status: 200,
    message: 'Proof',
    errors: ['LEDGER_TOO_SMALL', 'LEDGER_DAMAGED'],
  }),
  verify: operation({
    id: 'ledger.verify',
    method: 'POST',
    path: '/api/admin/ledger/verify',
    envelope: 'account',
    auth: { all: ['admin', 'system'] },
    localOnly: true,
    summary: 'Check the ledger in the store',
    description: 'Computes every hash again from the content of the store.',
    input: v.object({
      full: v.pipe(
        v.optional(v.boolean(), false),
        v.description('recompute every entry, every hash of the tree, every commitment and every kept checkpoint'),
      ),
    }),
    reply: v.object({
      ok: v.boolean(),
      size: v.number(),
      root: hash,
      checks: v.array(check),
      faults: v.pipe(
        v.array(v.object({ index: v.nullable(v.number()), what: v.string() })),
        v.description('faults by the index of the entry, at most 100'),
      ),
      moreFaults: v.number(),
      stopped: v.array(stop),
      contradictions: v.pipe(
        v.array(contradiction),
        v.description('checkpoints of other nodes that contradict each other; the ledger of this node may be right'),
      ),
      noticed: v.pipe(v.array(notice), v.description('what else this node noticed about ledgers of other nodes')),
    }),
    status: 200,
    message: 'Ledger checked',
    errors: [],
  }),
  recovery: operation({
    id: 'ledger.recovery',
    method: 'GET',
    path: '/api/admin/ledger/recovery',
    envelope: 'account',
    auth: { all: ['admin', 'system'] },
    localOnly: true,
    summary: 'Show why the node signs nothing, and what a recovery would do',
    input: v.object({}),
    reply: v.object({
      stopped: v.array(stop),
      logKey: v.string(),
      size: v.number(),
      root: hash,
      recovers: v.pipe(
        v.object({ ...oldHead.entries, from: v.string() }),
        v.description('the largest head that the node has signed, as far as it is known, and where it is known from'),
      ),
      missing: v.pipe(v.number(), v.description('entries that were signed and are not in this store')),
    }),
    status: 200,
    message: 'Recovery',
    errors: ['LEDGER_DAMAGED'],
  }),
  recover: operation({
    id: 'ledger.recover',
    method: 'POST',
    path: '/api/admin/ledger/recover',
    envelope: 'account',
    auth: { all: ['admin', 'system'] },
    localOnly: true,
    summary: 'Begin a new log in place of one that the store does not continue',
    description:
      'The entries of the store stay. The new log names the end of the old one, signed by the node, and the node signs again.',
    input: v.object({
      size: v.pipe(integer(0, anySize), v.description('`recovers.size` of the recovery that was confirmed')),
    }),
    reply: v.object({ recovers: oldHead, logKey: v.string(), size: v.number(), root: hash }),
    status: 200,
    message: 'Recovered',
    errors: ['LEDGER_DAMAGED', 'NODE_NOT_STOPPED', 'NODE_STOPPED', 'RECOVERY_CHANGED', 'STORE_FULL'],
  }),
};
