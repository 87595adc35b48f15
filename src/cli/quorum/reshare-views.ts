import type { Reshare } from '../../contract/quorum/reshares.ts';
import { moment, type Screen, type Unmeasured } from '../kit/screen.ts';
import { details } from '../kit/table.ts';
import { listed, type People } from './people.ts';

const states: Readonly<Record<Reshare['status'], string>> = {
  collecting: 'collects the old shares',
  confirming: 'waits for the new holders to confirm',
  done: 'done: the new shares count, and the old ones are erased',
  cancelled: 'cancelled: the old shares count',
  expired: 'expired: the old shares count',
};

export function reshareDetails(screen: Screen, reshare: Reshare, people: People): string {
  const { id, documentId, status, reason, holders, sharesRequired, confirmedBy, waitingFor } = reshare;
  return details(screen, [
    ['Re-sharing', id],
    ['Document', documentId],
    ['State', reason === undefined ? states[status] : `${states[status]}. ${reason}`],
    ['New holders', listed(holders.map(({ memberId }) => people.nameOf(memberId)))],
    ['Opens with', `${sharesRequired} of ${holders.length} shares`],
    ['New key', reshare.rekey ? 'yes' : 'no'],
    ...(status === 'confirming'
      ? ([
          ['Confirmed', confirmedBy.length === 0 ? 'nobody so far' : listed(confirmedBy.map(people.nameOf))],
          ['Waiting for', listed(waitingFor.map(people.nameOf))],
        ] as const)
      : []),
    ['Until', moment(screen, reshare.expiresAt)],
  ]);
}

/** What a new holder is to confirm. */
export function reshareLines(screen: Unmeasured, reshare: Reshare, people: People): readonly string[] {
  const { documentId, requesterName, requesterId, rekey, holders, sharesRequired } = reshare;
  return [
    `Document  ${documentId}`,
    `Dealt by  ${requesterName ?? requesterId}${rekey ? ', with a new key' : ''}`,
    `Holders   ${listed(holders.map(({ memberId }) => people.nameOf(memberId)))}; any ${sharesRequired} open it`,
    `Until     ${moment(screen, reshare.expiresAt)}`,
  ];
}

/** How many new holders have confirmed, in one line. */
export function confirmedText({ confirmedBy, sharesRequired, waitingFor }: Reshare, people: People): string {
  const who = confirmedBy.length === 0 ? '' : `: ${listed(confirmedBy.map(people.nameOf))}`;
  const missing = waitingFor.length === 0 ? '' : ` · waiting for ${listed(waitingFor.map(people.nameOf))}`;
  return `${confirmedBy.length} of ${sharesRequired} confirmed${who}${missing}`;
}
