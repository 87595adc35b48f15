import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { acceptsIdempotencyKey, keepsReply, operation } from '../../src/contract/operation.ts';

const suspicious =
  /token|mnemonic|phrase|seed|secret|password|passphrase|code|key|share|totp|content|pin|cvv|cardnumber/i;

/** Names that sound like a secret and are none. */
const harmless = new Set([
  // ids of messages
  'pinnedMessageIds',
  'isPinned',
  'serverPublicKey',
  'publicKey',
  'nodePublicKey',
  'witnessKey',
  'logKey',
  'keyUnlocked',
  'passwordReset',
  'codeCount',
  'hasTotp',
  'shared',
  'sharedWith',
  'totalShares',
  'joinToken',
  'joinTokens',
  'appPassword',
  'appPasswords',
  'withSecrets',
  'sharesRequired',
  'sharesProvided',
  'resharedAt',
  // Of a session that collects shares: they are encrypted to the client that asked.
  'ephemeralPublicKey',
  'encryptedShare',
  'share',
  // Whether a document gets a new key, and whether its content is there.
  'rekey',
  'hasContent',
  'reshare',
  'reshares',
  // What a notification says to its reader, and which of them are one.
  'content',
  'groupKey',
  // Words that a member gives to a message, and what a message says of an attachment.
  'keywords',
  'contentType',
  'contentId',
  // Who shared a file with whom, and what is known of a link without its token.
  'shareId',
  'shares',
  'sharedBy',
  'sharedAt',
  'tokenStart',
  'passwordProtected',
  // Of client-encrypted containers: what members encrypted to each other, and the numbers of their keys.
  'keys',
  'keyNumber',
  'keyOutdated',
  'keySignature',
  'containerKey',
  'wrappedKey',
  // The name of a key of a room, whose wrap only its member opens.
  'keyId',
  'previousKeyId',
  // Whether a member has the key.
  'hasKey',
  // What a post says, and what a filter of a reader looks for in it.
  'formattedContent',
  'contentWarning',
  'phrase',
  // A message as it is stored, which the wraps of its conversation open, and whether it is pinned.
  'encryptedContent',
  'pinned',
  'unpinned',
  // Of a postal address.
  'postalCode',
  // Which changes of a calendar its reader knows.
  'syncToken',
  // With how many members a calendar is shared, and one of those shares.
  'shareCount',
  // The password that a call asks for: who may read the event may come.
  'passcode',
  // How many approvals a share with somebody outside needs.
  'externalShare',
]);

interface SchemaParts {
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly options?: unknown;
  readonly [part: string]: unknown;
}

/** The names of all fields of a reply, however deep. */
function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { entries = {}, options, ...parts } = schema as SchemaParts;
  const inner = [parts['item'], parts['wrapped'], parts['value'], parts['rest'], parts['pipe'], options].flat();
  const others = [...Object.values(entries), ...inner.filter((part) => part !== schema)];
  // Beside a message, a code says why something failed.
  const own = Object.keys(entries).filter((name) => name !== 'code' || !('message' in entries));
  return [...own, ...others.flatMap(fieldNames)];
}

function looksSecret(reply: unknown): string[] {
  return [...new Set(fieldNames(reply))].filter((name) => suspicious.test(name) && !harmless.has(name));
}

describe('replies', () => {
  it('are looked into, however a schema is built', () => {
    const token = v.object({ token: v.string() });
    for (const reply of [
      token,
      v.object({ data: v.optional(v.nullable(token)) }),
      v.object({
        list: v.array(
          v.pipe(
            token,
            v.check(() => true),
          ),
        ),
      }),
      v.union([v.object({ a: v.string() }), token]),
      v.record(v.string(), token),
      v.variant('type', [v.object({ type: v.literal('a') }), v.object({ type: v.literal('b'), token: v.string() })]),
    ])
      expect(looksSecret(reply), JSON.stringify(reply)).toEqual(['token']);
    expect(looksSecret(v.object({ serverPublicKey: v.string(), title: v.string() }))).toEqual([]);
    expect(looksSecret(v.object({ code: v.string(), message: v.string() }))).toEqual([]);
    expect(looksSecret(v.object({ code: v.string(), title: v.string() }))).toEqual(['code']);
  });

  it('that hold secrets are declared so, and are not kept for a repeat', () => {
    const undeclared = allOperations().flatMap((op) =>
      op.form === 'json' && keepsReply(op) && looksSecret(op.reply).length > 0 ? [[op.id, looksSecret(op.reply)]] : [],
    );
    expect(undeclared).toEqual([]);
    expect(
      allOperations()
        .filter((op) => acceptsIdempotencyKey(op) && !keepsReply(op))
        .map(({ id }) => id),
    ).toContain('account.create-backup-codes');
  });

  it('are kept unless that is declared', () => {
    const declared = {
      id: 'a.create',
      method: 'POST',
      path: '/a',
      envelope: 'social',
      auth: 'member',
      summary: 'Create',
      input: v.object({}),
      reply: v.object({ token: v.string() }),
      message: 'Created',
      status: 201,
      errors: [],
    } as const;
    expect(keepsReply(operation(declared))).toBe(true);
    expect(keepsReply(operation({ ...declared, secretReply: true }))).toBe(false);
  });
});
