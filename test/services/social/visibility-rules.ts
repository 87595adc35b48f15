import type { Kind, Viewer } from './visibility-world.ts';

/**
 * Who sees what. `401`: not signed in. A request to follow is answered at once for accounts that are open, so the requester follows those.
 */
export type Seen = 'seen' | 'hidden' | '401';

const nobody = { anonymous: '401', suspended: '401', blocked: 'hidden', blocker: 'hidden' } as const;
/** Who has to do with the hub of another post alone. */
const inOther = (seen: Seen) => ({ 'hub member': seen, banned: seen, 'former member': seen, newcomer: seen });

export const rules: Readonly<Record<Kind, Readonly<Record<Viewer, Seen>>>> = {
  public: {
    ...nobody,
    ...inOther('seen'),
    stranger: 'seen',
    administrator: 'seen',
    follower: 'seen',
    requester: 'seen',
    author: 'seen',
  },
  protected: {
    ...nobody,
    ...inOther('hidden'),
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'seen',
    requester: 'hidden',
    author: 'seen',
  },
  'protected later': {
    ...nobody,
    ...inOther('hidden'),
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'seen',
    requester: 'hidden',
    author: 'seen',
  },
  'in a hub': {
    ...nobody,
    'hub member': 'seen',
    newcomer: 'seen',
    banned: 'hidden',
    'former member': 'hidden',
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'hidden',
    requester: 'hidden',
    author: 'seen',
  },
  'in an encrypted hub': {
    ...nobody,
    'hub member': 'seen',
    newcomer: 'hidden',
    banned: 'hidden',
    'former member': 'hidden',
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'hidden',
    requester: 'hidden',
    author: 'seen',
  },
  deleted: {
    ...nobody,
    ...inOther('hidden'),
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'hidden',
    requester: 'hidden',
    author: 'hidden',
  },
  'of a suspended author': {
    ...nobody,
    ...inOther('hidden'),
    stranger: 'hidden',
    administrator: 'hidden',
    follower: 'hidden',
    requester: 'hidden',
    author: '401',
  },
};
