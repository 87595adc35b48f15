import { compareModes, endOf } from './access-order.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import {
  aclText,
  MAX_TOMBSTONES,
  type AclDocument,
  type AclTombstone,
  type AclWriter,
  type PoolMode,
} from '../../../crypto/formats/access-list/document.ts';
import { fulfils, refusalRank, thresholdOf, type SafeDecision } from './safe-decisions.ts';

/**
 * The next version of a list that takes over decisions of branches that don't count. It depends only on the list and the decisions, so
 * nodes that make it at the same time make the same one.
 * @returns undefined if nothing changes
 */
export function takingOver(
  { document, hash }: SignedList,
  decisions: readonly SafeDecision[],
): AclDocument | undefined {
  const open = decisions.filter((one) => !fulfils(document, one));
  const changed = withDecisions(document, open);
  if (aclText(changed) === aclText(document)) return undefined;
  const issuedAt = [document.issuedAt, ...open.map(({ at }) => at)].toSorted().at(-1) ?? document.issuedAt;
  return { ...changed, version: document.version + 1, prev: hash, issuedAt };
}

/** A list with decisions carried out. It never loses its last node, or so many administrators that nobody could sign the next one: then those
 * further up in the list stay. */
export function withDecisions(document: AclDocument, decisions: readonly SafeDecision[]): AclDocument {
  const open = decisions.filter((one) => !fulfils(document, one));
  const of = (wanted: SafeDecision['kind']) => open.filter(({ kind }) => kind === wanted);
  const refused = refusedNodes(document, open);
  const removedAdmins = new Set(of('administrator').map(({ subject }) => subject));
  const left = document.admins.filter(({ memberId }) => !removedAdmins.has(memberId)).length;
  let spared = Math.max(document.threshold - left, 0);
  const admins = document.admins.filter(({ memberId }) => !removedAdmins.has(memberId) || spared-- > 0);
  const threshold = Math.max(document.threshold, ...of('threshold').map(thresholdOf));
  const ends = new Map(of('expiry').map(({ subject, value }) => [subject, value]));
  const modes = [document.mode, ...of('mode').map(({ value }) => value as PoolMode)];
  const { tombstones: _, ...rest } = document;
  const tombstones = tombstonesWith(document, open, refused);
  return {
    ...rest,
    mode: modes.reduce((one, other) => (compareModes(one, other) >= 0 ? one : other)),
    writers: document.writers
      .filter(({ nodeId }) => !refused.has(nodeId))
      .map((writer) => endingAt(writer, ends.get(writer.nodeId))),
    ...(tombstones.length > 0 && { tombstones }),
    admins,
    threshold: Math.min(threshold, admins.length),
  };
}

/** If two sides removed all nodes of each other, those stay whose own keys are administrators, because they can admit the others again. */
function refusedNodes({ writers, admins }: AclDocument, open: readonly SafeDecision[]): Set<string> {
  const wanted = new Set(
    open
      .filter(({ kind, value }) => kind === 'removal' || (kind === 'refusal' && value !== 'denied'))
      .map(({ subject }) => subject),
  );
  if (writers.some(({ nodeId }) => !wanted.has(nodeId))) return wanted;
  const keys = new Set(admins.map(({ publicKey }) => publicKey));
  const own = writers.filter(({ publicKey }) => keys.has(publicKey));
  for (const { nodeId } of own.length > 0 ? own : writers) wanted.delete(nodeId);
  return wanted;
}

function endingAt(writer: AclWriter, end: string | undefined): AclWriter {
  return end === undefined || endOf(writer.expiresAt) <= endOf(end) ? writer : { ...writer, expiresAt: end };
}

function tombstonesWith(
  { writers, tombstones = [] }: AclDocument,
  open: readonly SafeDecision[],
  refused: ReadonlySet<string>,
): AclTombstone[] {
  const all = new Map(tombstones.map((tombstone) => [tombstone.nodeId, tombstone]));
  const staying = new Set(writers.map(({ nodeId }) => nodeId).filter((nodeId) => !refused.has(nodeId)));
  const add = (made: AclTombstone) => {
    const known = all.get(made.nodeId);
    const fits = known !== undefined || all.size < MAX_TOMBSTONES;
    if (fits && !staying.has(made.nodeId) && refusalRank(made.kind) > refusalRank(known?.kind))
      all.set(made.nodeId, made);
  };
  for (const { kind, subject: nodeId, value, at, by } of open) {
    if (kind === 'refusal') add({ nodeId, kind: value as AclTombstone['kind'], at, by });
  }
  for (const { kind, subject: nodeId, at, by } of open)
    if (kind === 'removal') add({ nodeId, kind: 'removed', at, by });
  return [...all.values()];
}
