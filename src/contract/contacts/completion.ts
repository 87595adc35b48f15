import * as v from 'valibot';
import { operation } from '../operation.ts';
import { line } from '../text.ts';
import { contactsLimits } from './limits.ts';

const completed = v.object({
  name: v.string(),
  address: v.string(),
  bookId: v.string(),
  cardId: v.string(),
  username: v.optional(v.pipe(v.string(), v.description('of a member of this node'))),
});
export type Completed = v.InferOutput<typeof completed>;

/** Addresses for what somebody types, `/api/contacts/complete`. */
export const completion = {
  complete: operation({
    id: 'contacts.complete',
    envelope: 'calendar',
    auth: 'member',
    scope: 'contacts',
    method: 'GET',
    path: '/api/contacts/complete',
    summary: 'Complete a name or an e-mail address',
    description: `From your own contacts and the book of members, the best first, at most ${contactsLimits.completions}. An address is named once. Of more than ${contactsLimits.looked} own contacts the others are not looked at.`,
    input: v.object({ q: v.pipe(line(contactsLimits.search), v.description('what is typed already')) }),
    reply: v.object({ matches: v.array(completed) }),
    status: 200,
    message: 'Matches',
    errors: [],
  }),
};
