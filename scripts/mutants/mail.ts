import type { Mutant } from './mutant.ts';

const messages = ['test/services/mail/messages.test.ts'];
const sending = ['test/services/mail/sending.test.ts'];
const raw = ['test/services/mail/raw.test.ts'];
const answers = ['test/services/mail/answers.test.ts'];
const lists = ['test/services/mail/lists.test.ts'];
const network = [
  'test/services/mail/network.test.ts',
  'test/services/mail/routes.test.ts',
  'test/services/mail/hostile-offers.test.ts',
];
const submission = ['test/smtp/submission.test.ts'];
const refusals = ['test/smtp/refusals.test.ts'];

const mail = (file: string) => `src/services/mail/${file}`;

export const mailMutants: readonly Mutant[] = [
  {
    file: mail('own-mailbox.ts'),
    what: 'the mailbox is the own one',
    from: 'if (mailbox !== undefined && isOwn(ctx, actor.username, mailbox)) return mailbox;',
    to: 'if (mailbox !== undefined) return mailbox;',
    tests: sending,
  },
  {
    file: mail('boxes/items.ts'),
    what: 'the member of a copy that is named by its id',
    from: "      .where('id', '=', name)\n      .where('member_id', '=', memberId)\n",
    to: "      .where('id', '=', name)\n",
    tests: [...messages, ...answers],
  },
  {
    file: mail('boxes/items.ts'),
    what: 'the member of copies with a Message-ID',
    from: "    .where('member_id', '=', memberId)\n    .where('message_id', '=', name)\n",
    to: "    .where('message_id', '=', name)\n",
    tests: messages,
  },
  {
    file: mail('sending/status.ts'),
    what: 'nothing has left that is taken back',
    from: "rows.length === 0 || rows.some(({ status }) => status !== 'PENDING')",
    to: 'rows.length === 0',
    tests: sending,
  },
  {
    file: mail('sending/local.ts'),
    what: 'a rule that refuses',
    from: '  if (outcome.refuse) return blocked;\n',
    to: '',
    tests: sending,
  },
  {
    file: mail('sending/local.ts'),
    what: 'a member who blocked the sender',
    from: '  if (senderId !== undefined && (await whoBlocked(tx, senderId, [memberId])).size > 0) return blocked;\n',
    to: '',
    tests: sending,
  },
  {
    file: mail('rules/apply.ts'),
    what: 'what a program sent is not forwarded',
    from: 'forwardTo: automatic ? [] : [',
    to: 'forwardTo: [',
    tests: sending,
  },
  {
    file: mail('sending/answering.ts'),
    what: 'nobody answers to oneself',
    from: '.filter((one) => !isMine(one));',
    to: ';',
    tests: answers,
  },
  {
    file: mail('sending/answering.ts'),
    what: 'Reply-To',
    from: 'own ? to : replyTo.length > 0 ? replyTo : [from]',
    to: 'own ? to : [from]',
    tests: answers,
  },
  {
    file: mail('sending/raw.ts'),
    what: 'Bcc of what programs wrote',
    from: "remove: ['bcc', 'resent-bcc', 'return-path']",
    to: "remove: ['return-path']",
    tests: raw,
  },
  {
    file: mail('sending/raw.ts'),
    what: 'the sign-in when all octets are there',
    from: 'before: async (tx) => await assertStillSignedIn(tx, owner),',
    to: 'before: async () => undefined,',
    tests: submission,
  },
  {
    file: mail('message/outgoing-head.ts'),
    what: 'bare LF',
    from: "if (!afterCr) throw malformed('has a line feed without a carriage return before it');",
    to: '',
    tests: [...raw, ...refusals],
  },
  {
    file: mail('message/outgoing-head.ts'),
    what: 'bare CR',
    from: "if (afterCr) throw malformed('has a carriage return without a line feed after it');",
    to: '',
    tests: [...raw, ...refusals],
  },
  {
    file: mail('message/outgoing-head.ts'),
    what: 'NUL',
    from: "if (octet === 0) throw malformed('has a NUL octet');",
    to: '',
    tests: [...raw, ...refusals],
  },
  {
    file: mail('reading/lists.ts'),
    what: 'the time from which messages are listed',
    from: "where('dated_at', '>=', moment('dateFrom', dateFrom))",
    to: "where('dated_at', '>', moment('dateFrom', dateFrom))",
    tests: lists,
  },
  {
    file: mail('reading/lists.ts'),
    what: 'signs that mean others in a pattern',
    from: '.replaceAll(/[\\\\%_]/g, String.raw`\\$&`)}%`',
    to: '}%`',
    tests: lists,
  },
  {
    file: mail('network/accept.ts'),
    what: 'the node of the domain of the sender',
    from: '    await checkSender(ctx, row.node_id, offer);\n    const {',
    to: '    const {',
    tests: network,
  },
  {
    file: mail('network/accept.ts'),
    what: 'the author of an offered message',
    from: ' || addressKey(written) !== addressKey(named)',
    to: '',
    tests: network,
  },
  {
    file: mail('network/accept.ts'),
    what: 'the domain of a recipient is served here',
    from: "if (served !== 'here') {",
    to: 'if (served === undefined) {',
    tests: network,
  },
  {
    file: mail('network/accept.ts'),
    what: 'the hash of a small block',
    from: ' || contentHash(sealed) !== one.hash',
    to: '',
    tests: network,
  },
  {
    file: mail('network/receipts.ts'),
    what: 'the signature of receipts',
    from: "publicKey === undefined || !verify(publicKey, statement, Buffer.from(signature, 'base64'))",
    to: 'publicKey === undefined',
    tests: network,
  },
  {
    file: mail('network/receipts.ts'),
    what: 'the node of an offer',
    from: "    .where('id', '=', offerId)\n    .where('node_id', '=', nodeId)\n",
    to: "    .where('id', '=', offerId)\n",
    tests: network,
  },
  {
    file: mail('network/receipts.ts'),
    what: 'the node that the list names for a domain',
    from: 'if (serving?.nodeId !== nodeId) await reroute(tx, row);\n    else ',
    to: '',
    tests: network,
  },
  {
    file: mail('network/offers.ts'),
    what: 'the node that was offered a block',
    from: "    .where('p.block_id', '=', blockId)\n    .where('o.node_id', '=', nodeId)\n",
    to: "    .where('p.block_id', '=', blockId)\n",
    tests: network,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'the sign-in before each command',
    from: '    await assertStillSignedIn(ctx, actor);\n',
    to: '',
    tests: submission,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'the mailbox of the envelope',
    from: '        submission.checkSender(actor, address);\n',
    to: '',
    tests: refusals,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'refused recipients count',
    from: 'known.recipientsTried += 1;',
    to: '',
    tests: refusals,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'the rate of messages',
    from: '        await limits.take(mail.sendRaw, subjectOf(known, actor));\n',
    to: '',
    tests: refusals,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'the memory of messages',
    from: '    held.take(STREAM_BYTES);\n',
    to: '',
    tests: refusals,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'wrong passwords on one connection',
    from: 'if (known.wrongPasswords >= TRIES) return replyError(421, reply.message);',
    to: '',
    tests: submission,
  },
  {
    file: 'src/smtp/commands.ts',
    what: 'AUTH before TLS',
    from: "[...unknownCommands({ mayStart: true }), 'AUTH']",
    to: 'unknownCommands({ mayStart: true })',
    tests: submission,
  },
  {
    file: 'src/smtp/server.ts',
    what: 'connections of ended app passwords',
    from: 'onEnded: (ids) => hangUpOn(',
    to: 'onEnded: (ids) => void (',
    tests: submission,
  },
];
