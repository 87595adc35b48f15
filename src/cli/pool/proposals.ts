import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { pool } from '../../contract/pool.ts';
import type { AccessListProposal } from '../../contract/pool/shapes.ts';
import { Problem } from '../../base/problem.ts';
import { labelled } from '../kit/labelled.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { widthOf, type Terminal } from '../kit/terminal.ts';
import { aclChanges } from './acl-diff.ts';
import { shortId } from './pool-details.ts';
import { fingerprintLine } from './pool-node.ts';

export function proposalTable(screen: Screen, proposals: readonly AccessListProposal[]): string {
  return table(screen, proposals, [
    { title: 'PROPOSAL', of: ({ hash }) => shortId(screen, hash), whole: true },
    { title: 'STATUS', of: ({ status }) => status, whole: true },
    { title: 'VERSION', of: ({ version }) => String(version), whole: true },
    { title: 'SIGNED', of: ({ signers, threshold }) => `${signers.length} of ${threshold}`, whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => moment(screen, expiresAt), whole: true },
    { title: 'BY', of: ({ proposedBy }) => shortId(screen, proposedBy) },
  ]);
}

/**
 * Finds the proposal whose hash begins with a prefix.
 *
 * @throws Problem missing POOL_PROPOSAL_NOT_FOUND, conflict AMBIGUOUS
 */
export async function findProposal(client: Client, prefix: string): Promise<AccessListProposal> {
  const { proposals } = await perform(client, pool.aclProposals, {});
  const found = proposals.filter(({ hash }) => hash.startsWith(prefix.toLowerCase()));
  const [one, ...others] = found;
  if (one === undefined)
    throw new Problem('missing', 'POOL_PROPOSAL_NOT_FOUND', `There is no proposal whose hash begins with ${prefix}.`);
  if (others.length > 0)
    throw new Problem('conflict', 'AMBIGUOUS', `${prefix} matches more than one proposal:`, {
      fields: found.map(({ hash, status }) => ({ path: hash, message: status })),
    });
  return one;
}

/**
 * Shows in full what a signature would put in force: what the document itself says, against the active list.
 *
 * @throws Problem internal BAD_REPLY when the document isn't the one with this hash, conflict POOL_PROPOSAL_STALE
 */
export async function showProposal(client: Client, { stderr }: Terminal, proposal: AccessListProposal): Promise<void> {
  const { parseAcl, aclHash } = await import('../../crypto/formats/access-list/document.ts');
  const active = await perform(client, pool.acl, {});
  if (aclHash(proposal.document) !== proposal.hash || proposal.fingerprint.hex !== proposal.hash)
    throw new Problem('internal', 'BAD_REPLY', 'The document of the proposal is not the one with this hash.');
  const [before, next] = [parseAcl(active.document), parseAcl(proposal.document)];
  // What the proposal changes is shown against the list that its document names, and against no other.
  if (next.prev !== aclHash(active.document)) throw stale(next);
  const lines = [
    `Proposal     ${proposal.hash}`,
    `Fingerprint  ${fingerprintLine(proposal.fingerprint)}`,
    `Pool         ${next.poolId}`,
    `Version      ${next.version}, after version ${active.version} with the hash ${next.prev ?? '-'}`,
    `Made         ${next.issuedAt} by ${proposal.proposedBy}`,
    `Signed       ${proposal.signers.length} of ${proposal.threshold}: ${proposal.signers.join(', ')}`,
    ...aclChanges(before, next).map((change) => `- ${change}`),
  ];
  stderr.write(labelled(lines, widthOf(stderr)));
}

/** @throws Problem conflict POOL_PROPOSAL_STALE, gone POOL_PROPOSAL_EXPIRED */
export function refuseOver({ status, version }: AccessListProposal): void {
  if (status === 'stale') throw stale({ version });
  if (status === 'expired')
    throw new Problem('gone', 'POOL_PROPOSAL_EXPIRED', 'The proposal has expired. Make the change again.');
}

function stale({ version }: { readonly version: number }): Problem {
  return new Problem(
    'conflict',
    'POOL_PROPOSAL_STALE',
    `The proposal of version ${version} is stale: the list that it changes is no longer active. Make the change again.`,
  );
}
