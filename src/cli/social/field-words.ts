/** Options and arguments of commands for fields that have another name, the likeliest first. A word in capitals is said where none is there. */
const words: Readonly<Record<string, readonly string[]>> = {
  id: ['name'],
  idOrSlug: ['hub'],
  hubId: ['hub', 'below', 'name'],
  hubIds: ['hub'],
  parentHubId: ['below'],
  parentPostId: ['post'],
  userId: ['person', 'member', 'MEMBER'],
  userIds: ['people', 'member'],
  otherUserId: ['name'],
  participantIds: ['member'],
  targetConversationId: ['name'],
  avatarUrl: ['picture'],
  reportId: ['report'],
  newOwnerId: ['person'],
  content: ['text'],
  mutedUntil: ['mute'],
  notifications: ['notify'],
  sendAt: ['at'],
  scheduledId: ['message'],
  replyToMessageId: ['reply', 'reply-to'],
  messageId: ['message'],
  recipientId: ['with'],
  memberId: ['member', 'with'],
  memberIds: ['member'],
  newMemberIds: ['member'],
  durationMs: ['for'],
  maxUses: ['uses'],
  expiresInMs: ['for'],
  commentary: ['text'],
  contentWarning: ['warning'],
  isSensitive: ['sensitive'],
  mediaAttachments: ['media'],
  altText: ['alt'],
  durationDays: ['days'],
  trustTier: ['tier'],
  isDefault: ['default'],
  q: ['query', 'words'],
  tag: ['name'],
  topWindow: ['window'],
  action: ['hide'],
  wholeWord: ['parts'],
  contexts: ['in'],
  expiresAt: ['expires', 'dnd', 'mute'],
  startTime: ['quiet'],
  endTime: ['quiet'],
  timezone: ['zone'],
  categorySettings: ['category'],
};

/** The word of a command for a field of an operation of the social network or of conversations. @param path such as `userIds.0` */
export function socialWordOf(
  path: string,
  { flags, args }: { readonly flags: readonly string[]; readonly args: readonly string[] },
): string | undefined {
  const [field = ''] = path.split('.');
  for (const word of [...(words[field] ?? []), field]) {
    if (flags.includes(word)) return `--${word}`;
    if (args.includes(word) || word === word.toUpperCase()) return word.toUpperCase();
  }
  return undefined;
}
