import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { scopes, type Scope } from '../scopes.ts';
import { givenName, recordId, timestamp } from '../text.ts';
import { appPasswordLimits } from './limits.ts';

const scope = v.picklist(Object.keys(scopes) as Scope[]);
const rights = Object.entries(scopes).map(([name, right]) => `\`${name}\`: ${right.toLowerCase()}`);

const appPassword = v.object({
  id: recordId,
  name: v.string(),
  begins: v.pipe(v.string(), v.description('the first two groups of the password, which are not secret')),
  scopes: v.array(scope),
  createdAt: timestamp,
  lastUsedAt: v.pipe(v.nullable(timestamp), v.description('null before the first use')),
  expiresAt: v.pipe(v.nullable(timestamp), v.description('null: never')),
});
export type AppPassword = v.InferOutput<typeof appPassword>;

/** App passwords, for programs that know only a name and a password. */
export const appPasswords = {
  createAppPassword: operation({
    id: 'account.create-app-password',
    method: 'POST',
    path: '/api/user/app-passwords',
    envelope: 'account',
    auth: 'member',
    summary: 'Make an app password for one program, shown only once',
    description: `The program signs in with the username or e-mail address and this password (HTTP \`Basic\`). The password allows only its scopes: ${rights.join('; ')}. It does not open the private key of the member. It stays valid after a change of the password of the account, and ends with a recovery of the account.`,
    input: v.object({
      name: v.pipe(givenName(appPasswordLimits.name), v.description('for the list, such as the name of the program')),
      scopes: v.pipe(
        v.array(scope, 'must be a list of scopes'),
        v.minLength(1, 'must name at least one scope'),
        v.maxLength(Object.keys(scopes).length, 'must name each scope at most once'),
        v.check((names) => new Set(names).size === names.length, 'must name each scope at most once'),
      ),
      expiresAt: v.optional(v.pipe(timestamp, v.description('in the future; the password does not expire if missing'))),
    }),
    reply: v.object({ password: v.pipe(v.string(), v.metadata({ secret: true })), appPassword }),
    status: 201,
    message: 'Keep this password. It is not shown again',
    secretReply: true,
    errors: ['APP_PASSWORDS_FULL'],
  }),
  listAppPasswords: operation({
    id: 'account.list-app-passwords',
    method: 'GET',
    path: '/api/user/app-passwords',
    envelope: 'account',
    auth: 'member',
    summary: 'List the app passwords of the caller',
    description: 'Newest first, without the secrets. The time of the last use is exact to a minute.',
    ...paged({ name: 'appPasswords', of: appPassword }),
    status: 200,
    message: 'App passwords',
  }),
  removeAppPassword: operation({
    id: 'account.remove-app-password',
    method: 'DELETE',
    path: '/api/user/app-passwords/:id',
    envelope: 'account',
    auth: 'member',
    summary: 'Remove an app password of the caller',
    description: 'It stops working at once, and the connections of its program are closed.',
    input: v.object({ id: recordId }),
    reply: v.object({}),
    status: 200,
    message: 'App password removed',
    errors: ['APP_PASSWORD_NOT_FOUND'],
  }),
};
