import type { DocumentMetadata } from '../../contract/quorum/documents.ts';
import type { UnsealSession } from '../../contract/quorum/sessions.ts';
import { bytes, moment, type Screen, type Unmeasured } from '../kit/screen.ts';
import { details, type Column } from '../kit/table.ts';
import { listed, type People } from './people.ts';

export const documentColumns: readonly Column<DocumentMetadata>[] = [
  { title: 'DOCUMENT', whole: true, of: ({ id }) => id },
  { title: 'OPENS WITH', of: ({ sharesRequired, memberIds }) => `${sharesRequired} of ${memberIds.length}` },
  { title: 'STATE', main: true, of: (document) => stateOf(document) },
  { title: 'SIZE', spare: true, of: ({ size }) => bytes(size) },
  { title: 'SEALED', spare: true, of: ({ createdAt }, screen) => moment(screen, createdAt) },
];

/** In one or two words, for a table. */
function stateOf({ kind, holdersChanged, outOfReach }: DocumentMetadata): string {
  if (outOfReach) return 'out of reach';
  if (holdersChanged) return 'share it anew';
  return kind === 'identity' ? 'an identity' : 'sealed';
}

/** What a document is, and what should be done about it. */
export function documentDetails(screen: Screen, document: DocumentMetadata, people: People): string {
  const { id, kind, memberIds, sharesRequired, formerMemberIds, generation, resharedAt } = document;
  const holders = memberIds.filter((one) => !formerMemberIds.includes(one));
  return details(screen, [
    ['Document', id],
    ['Kind', kind === 'identity' ? 'an identity behind an alias' : 'document'],
    ['Sealed', moment(screen, document.createdAt)],
    ['Size', bytes(document.size)],
    ['Opens with', `${sharesRequired} of ${memberIds.length} shares`],
    ['Holders', listed(holders.map(people.nameOf))],
    ...(formerMemberIds.length > 0 ? ([['Former holders', listed(formerMemberIds.map(people.nameOf))]] as const) : []),
    ['Shares', resharedAt === undefined ? 'the first' : `set ${generation}, since ${moment(screen, resharedAt)}`],
    ...adviceOn(document),
  ]);
}

function adviceOn({ id, holdersChanged, outOfReach }: DocumentMetadata): (readonly [string, string])[] {
  if (outOfReach)
    return [['Note', 'Too few holders are members. Add a former holder again with the same key, then share it anew.']];
  if (!holdersChanged) return [];
  return [
    ['Note', `A holder is no member any more. To share it anew, run: conclave quorum reshare ${id.slice(0, 12)}`],
  ];
}

/** Who has contributed, in one line. */
export function collectedText(session: UnsealSession, usable: readonly string[], people: People): string {
  const { sharesRequired, waitingFor } = session;
  const who = usable.length === 0 ? '' : `: ${listed(usable.map(people.nameOf))}`;
  const missing = waitingFor.length === 0 ? '' : ` · waiting for ${listed(waitingFor.map(people.nameOf))}`;
  return `${usable.length} of ${sharesRequired} shares${who}${missing}`;
}

/** What somebody asks for, before a member decides on it. */
export function sessionLines(screen: Unmeasured, session: UnsealSession, people: People): readonly string[] {
  const what = {
    unseal: 'to open the document',
    reshare: 'to share the document anew',
    rekey: 'to give the document a new key',
  };
  const { id, documentId, purpose, requesterName, requesterId, reason, contributions, sharesRequired } = session;
  return [
    `Session   ${id}`,
    `Document  ${documentId}`,
    `Asked by  ${requesterName ?? requesterId}, ${what[purpose]}`,
    `Reason    ${reason}`,
    `Shares    ${contributions.length} of ${sharesRequired}${contributions.length > 0 ? `: ${listed(contributions.map(({ memberId }) => people.nameOf(memberId)))}` : ''}`,
    `Until     ${moment(screen, session.expiresAt)}`,
  ];
}
