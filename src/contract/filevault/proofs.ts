import * as v from 'valibot';
import { operation } from '../operation.ts';
import { hex, recordId, timestamp } from '../text.ts';

const hash = hex(32);
const hashes = v.array(hash);

/** What somebody without the node needs to check that an entry is in its ledger. */
const offline = {
  blockHeight: v.pipe(v.number(), v.description('index of the entry in the ledger')),
  chainId: v.pipe(hash, v.description('SHA-256 of `logKey`')),
  logKey: v.pipe(v.string(), v.description('verifier key of the log, as c2sp.org/signed-note writes it')),
  entry: v.pipe(v.string(), v.description('canonical JSON')),
  inclusionProof: v.pipe(hashes, v.description('from the entry to the root in `checkpoint`')),
  checkpoint: v.pipe(v.string(), v.description('signed note, with the cosignatures that there are')),
  genesis: v.pipe(
    v.object({ index: v.number(), entry: v.string(), proof: hashes }),
    v.description('the entry that binds the log key to the node, and its inclusion proof'),
  ),
  fileId: recordId,
  fileTag: v.pipe(hash, v.description('what the file is called in the ledger')),
  signature: v.pipe(
    hex(64),
    v.description("by the node's identity, over everything else; the guide for authors of clients has the bytes"),
  ),
};

/** Beside the documented proof of a destruction, what an offline verifier needs. */
export const certificate = v.object({
  ...offline,
  leaves: v.pipe(hashes, v.description('leaf hashes of the inventory; the first one is of the file itself')),
  statement: v.string(),
});
export type Certificate = v.InferOutput<typeof certificate>;

const nonAccessProof = v.object({
  proof: v.object({
    bloomWitness: v.pipe(
      hex(91),
      v.description(
        'version, k, m, salt, j, bit index, chunk index, chunk: the bit of the file for hash function j is 0',
      ),
    ),
    merkleRoot: v.pipe(hash, v.description('of the tree over the chunks of the filter')),
    merkleProof: v.pipe(hashes, v.description('from the chunk to the root')),
    timestamp: v.pipe(timestamp, v.description('of the entry')),
  }),
  verificationBundle: v.object({
    ledgerEntryHash: v.pipe(hash, v.description('leaf hash of the entry ACCESS_FILTER')),
    ...offline,
    coversTo: v.pipe(v.number(), v.description('no access to the file is among so many first entries of the ledger')),
    asOf: v.pipe(timestamp, v.description('every access that was answered until then is among these entries')),
  }),
});
export type NonAccessProof = v.InferOutput<typeof nonAccessProof>;

export const proofs = {
  proveNonAccess: operation({
    id: 'filevault.non-access-proof',
    method: 'GET',
    path: '/filevault/files/:id/non-access-proof',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Prove that a file was never opened',
    description:
      'Needs `read`. Downloads, previews and links count, of all versions. The proof can be checked offline with `conclave files verify`, which also says what it does not prove.',
    input: v.object({
      id: recordId,
      checkpoint: v.pipe(
        v.optional(v.picklist(['newest', 'cosigned']), 'newest'),
        v.description(
          '`cosigned`: under the newest checkpoint that other nodes have cosigned, if it has the entry; the proof may then cover less',
        ),
      ),
    }),
    reply: nonAccessProof,
    status: 200,
    message: 'Proof',
    errors: [
      'FILE_NOT_FOUND',
      'FILE_ACCESSED',
      'FILE_DESTROYED',
      'CONTAINER_DESTROYED',
      'LEDGER_BEHIND',
      'LEDGER_DAMAGED',
      'NODE_STOPPED',
      'OVERLOADED',
      'STORE_FULL',
    ],
    scope: 'files',
  }),
};
