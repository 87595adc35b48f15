import * as v from 'valibot';
import { operation } from '../operation.ts';
import { line, recordId } from '../text.ts';
import { label, mailbox } from './fields.ts';
import { folders, mailLimits } from './limits.ts';

const contains = v.optional(v.pipe(line(mailLimits.query), v.description('part of it, in any case')));

const octets = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must not be negative'),
  v.description('octets'),
);

/** What is done with incoming mail. All conditions of a rule must hold, and the rules are tried in their order. */
const fields = {
  name: line(mailLimits.label),
  enabled: v.optional(v.boolean(), true),
  conditions: v.pipe(
    v.strictObject({
      from: contains,
      to: v.optional(v.pipe(line(mailLimits.query), v.description('part of an address in To or Cc, in any case'))),
      subject: contains,
      largerThan: v.optional(octets),
      smallerThan: v.optional(octets),
      hasAttachments: v.optional(v.boolean()),
    }),
    v.check((those) => Object.values(those).some((value) => value !== undefined), 'must have a condition'),
  ),
  actions: v.pipe(
    v.strictObject({
      addLabels: v.optional(v.pipe(v.array(label), v.maxLength(10))),
      markRead: v.optional(v.boolean()),
      flag: v.optional(v.boolean()),
      moveTo: v.optional(
        v.picklist(
          folders.filter((one) => one !== 'sent' && one !== 'drafts'),
          'must be inbox, archive, spam or trash',
        ),
      ),
      forwardTo: v.optional(v.pipe(v.array(mailbox), v.maxLength(5, 'must be at most 5 mailboxes'))),
      refuse: v.optional(v.pipe(v.boolean(), v.description('the sender is told that it was blocked'))),
    }),
    v.check(
      (those) => Object.values(those).some((value) => value !== undefined && value !== false),
      'must do something',
    ),
  ),
  stop: v.optional(v.pipe(v.boolean(), v.description('rules after it are not tried')), false),
};
const mailRule = v.object(fields);
export type MailRule = v.InferOutput<typeof mailRule>;

const kept = v.object({ id: recordId, ...fields });

export const mailRules = {
  listRules: operation({
    id: 'mail.rules',
    method: 'GET',
    path: '/api/emails/rules',
    envelope: 'email',
    auth: 'member',
    summary: 'List your rules for incoming mail',
    description: 'In the order in which they are tried.',
    input: v.object({}),
    reply: v.object({ rules: v.array(kept) }),
    status: 200,
    message: 'Rules',
    errors: [],
    scope: 'mail',
  }),
  putRules: operation({
    id: 'mail.put-rules',
    method: 'PUT',
    path: '/api/emails/rules',
    envelope: 'email',
    auth: 'member',
    summary: 'Replace your rules for incoming mail',
    description:
      'By all that are given, in their order. An empty list removes all. A rule that forwards is made and changed with a sign-in, not with an app password, and the member is told of a new one.',
    input: v.object({
      rules: v.pipe(v.array(mailRule), v.maxLength(mailLimits.rules, `must be at most ${mailLimits.rules} rules`)),
    }),
    reply: v.object({ rules: v.array(kept) }),
    status: 200,
    message: 'Rules replaced',
    errors: [],
    scope: 'mail',
  }),
};
