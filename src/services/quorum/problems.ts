import { Problem } from '../../base/problem.ts';

export function memberNotFound(memberId: string): Problem {
  return new Problem('missing', 'MEMBER_NOT_FOUND', `The quorum has no member ${memberId}.`);
}

/** One answer for documents that don't exist and for callers who may not know of them. */
export function documentNotFound(): Problem {
  return new Problem('missing', 'DOCUMENT_NOT_FOUND', 'There is no such document.');
}

export function proposalNotFound(): Problem {
  return new Problem('missing', 'PROPOSAL_NOT_FOUND', 'There is no such proposal.');
}

export function proposalDecided(what: string): Problem {
  return new Problem('conflict', 'PROPOSAL_DECIDED', `The proposal is ${what}. Make a new one if it is needed again.`);
}

export function sessionNotFound(): Problem {
  return new Problem('missing', 'UNSEAL_SESSION_NOT_FOUND', 'There is no such session.');
}

export function sessionEnded(): Problem {
  return new Problem(
    'conflict',
    'UNSEAL_SESSION_ENDED',
    'The session has ended. Whoever needs the document opens another.',
  );
}

export function noShare(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'You have no share of this document.');
}

export function reshareNotFound(): Problem {
  return new Problem('missing', 'RESHARE_NOT_FOUND', 'There is no such re-sharing.');
}

export function reshareEnded(): Problem {
  return new Problem(
    'conflict',
    'RESHARE_ENDED',
    'The re-sharing has ended, or is at another step. Look at its status.',
  );
}

export function notMember(): Problem {
  return new Problem('forbidden', 'FORBIDDEN', 'This is for active members of the quorum.');
}

/** @param actionType the proposal that decides on it */
export function proposalRequired(actionType: string): Problem {
  return new Problem('forbidden', 'PROPOSAL_REQUIRED', `The quorum decides on this. Make a proposal ${actionType}.`, {
    fields: [{ path: 'actionType', message: actionType }],
  });
}

export function wrongSignature(): Problem {
  return new Problem(
    'invalid',
    'INVALID_SIGNATURE',
    'signature: is not one of the key that it needs, over what it is for',
    { fields: [{ path: 'signature', message: 'is not one of the key that it needs, over what it is for' }] },
  );
}
