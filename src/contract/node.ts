import * as v from 'valibot';
import { operation } from './operation.ts';
import { atLeast, line, secretText, timestamp } from './text.ts';

/** Operations on the node and its store, for administrators. Operations that access files are only for the operator. */

const operator = { all: ['admin', 'system'] } as const;

const check = v.object({ name: v.string(), ok: v.boolean(), detail: v.string() });
export type Check = v.InferOutput<typeof check>;

export const node = {
  status: operation({
    id: 'node.status',
    method: 'GET',
    path: '/api/admin/status',
    envelope: 'account',
    auth: { any: ['Admin', 'System'] },
    summary: 'Show the status of the node',
    description: '`problems` lists what is wrong, in sentences for people.',
    input: v.object({}),
    reply: v.object({
      version: v.string(),
      nodeId: v.string(),
      publicKey: v.string(),
      engine: v.picklist(['sqljs', 'postgres']),
      schemaVersion: v.number(),
      storeBytes: v.pipe(
        v.number(),
        v.description('bytes of the database, without blocks; see the status of the store'),
      ),
      storage: v.pipe(
        v.object({ perMemberBytes: v.number(), usedBytes: v.number(), counts: v.array(v.string()) }),
        v.description('quota of each member, bytes used by all members, and what counts'),
      ),
      members: v.number(),
      sessions: v.number(),
      addresses: v.array(v.string()),
      startedAt: timestamp,
      problems: v.array(v.string()),
    }),
    status: 200,
    message: 'Status',
    errors: [],
  }),
  storeStatus: operation({
    id: 'node.store-status',
    method: 'GET',
    path: '/api/admin/store',
    envelope: 'account',
    auth: operator,
    summary: 'Show what the store contains',
    description: 'Rows by table, and the bytes of database and blocks.',
    input: v.object({}),
    reply: v.object({
      engine: v.picklist(['sqljs', 'postgres']),
      location: v.string(),
      schemaVersion: v.number(),
      databaseBytes: v.number(),
      blocks: v.number(),
      blockBytes: v.number(),
      tables: v.array(v.object({ name: v.string(), rows: v.number() })),
    }),
    status: 200,
    message: 'Store',
    errors: [],
  }),
  verifyStore: operation({
    id: 'node.verify-store',
    method: 'POST',
    path: '/api/admin/store/verify',
    envelope: 'account',
    auth: operator,
    summary: 'Check the database, its references and every block',
    description: 'Reads the whole store, and changes nothing.',
    input: v.object({}),
    reply: v.object({ ok: v.boolean(), checks: v.array(check) }),
    status: 200,
    message: 'Store checked',
    errors: [],
  }),
  backUpStore: operation({
    id: 'node.back-up-store',
    method: 'POST',
    path: '/api/admin/store/backup',
    envelope: 'account',
    auth: operator,
    localOnly: true,
    summary: 'Write a backup of the store to one file while the server runs',
    description:
      'The server keeps working. The file is either complete or does not exist. With a passphrase, the erasure keys of the store are written to `erasure.keys.backup` in the same folder, in place of earlier ones of this store.',
    input: v.object({
      path: v.pipe(line(4096), v.description('absolute path of the backup file, on the machine of the server')),
      passphrase: v.optional(
        v.pipe(
          secretText(1024),
          atLeast(8),
          v.metadata({ minLength: 8 }),
          v.description(
            'passphrase that encrypts the node secret and the erasure keys; without it, the backup has neither',
          ),
        ),
      ),
    }),
    reply: v.object({
      path: v.string(),
      bytes: v.number(),
      rows: v.number(),
      blocks: v.number(),
      damagedBlocks: v.pipe(
        v.array(v.string()),
        v.description('damaged blocks of the store, which are not in the backup'),
      ),
      withSecrets: v.boolean(),
      erasure: v.pipe(
        v.picklist(['written', 'none', 'left-out', 'unavailable']),
        v.description(
          'what became of the erasure keys of the file vault; `none`: it never needed any; `unavailable`: see the status of the node',
        ),
      ),
    }),
    status: 200,
    message: 'Backup written',
    errors: ['BACKUP_TARGET_EXISTS', 'ERASURE_KEYS_OF_OTHER_STORE', 'STORE_FULL', 'OVERLOADED'],
  }),
};
