import { readFile } from 'node:fs/promises';
import { object, array, literal, safeParse, string, looseObject } from 'valibot';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import { Problem } from '../../base/problem.ts';

const FORMAT = 'conclave-access-lists';
/** Bytes. The limit is far above the file of a pool after years. */
const MAX_FILE = 256 * 1024 * 1024;

const file = object({
  format: literal(FORMAT),
  version: literal(1),
  poolId: string(),
  lists: array(looseObject({ document: string() })),
});

/** Exports every version of the access list with its signatures. The file lets anyone verify all versions without a node. */
export async function exportLists(client: Client) {
  const newest = await perform(client, pool.acl, {});
  const lists: { document: string; signatures: unknown }[] = [];
  for (let version = 1; version <= newest.version; version += 1) {
    const { poolId, document, signatures } =
      version === newest.version ? newest : await perform(client, pool.acl, { version });
    if (poolId !== newest.poolId)
      throw new Problem('conflict', 'POOL_OTHER', 'The node changed its pool in the meantime. Try again.');
    lists.push({ document, signatures });
  }
  return { format: FORMAT, version: 1, poolId: newest.poolId, lists };
}

/** @throws Problem invalid ACCESS_LIST_REFUSED if any check of the file fails */
export async function verifyFile(path: string) {
  const bytes = await readFile(path);
  if (bytes.length > MAX_FILE) throw unreadable();
  const parsed = safeParse(file, parsedJson(bytes.toString('utf8')));
  if (!parsed.success) throw unreadable();
  const { poolId, lists: wires } = parsed.output;
  const { readList, verifyWhole } = await import('../../crypto/formats/access-list/chain.ts');
  const checkedKeys = new Set<string>();
  const lists = verifyWhole(wires.map((wire) => readList(wire, checkedKeys)));
  const last = lists.at(-1) ?? lists[0];
  if (last.document.poolId !== poolId) throw unreadable();
  return {
    valid: true,
    poolId,
    versions: lists.length,
    hash: last.hash,
    nodes: last.document.writers.map(({ nodeId }) => nodeId),
    unproven: ['that there is no newer version', 'that no other version was signed as well'],
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable();
  }
}

function unreadable(): Problem {
  return new Problem('invalid', 'ACCESS_LIST_REFUSED', 'The file is not an export of access lists.');
}
