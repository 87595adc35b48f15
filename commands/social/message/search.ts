import { Args, Flags } from '@oclif/core';
import { collectPages } from '../../../src/client/pages.ts';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../../src/cli/kit/list-command.ts';
import { socialConversationNamed } from '../../../src/cli/social/messages/find-conversation.ts';
import { asShown } from '../../../src/cli/social/messages/messages.ts';
import { namesOfSocialConversations } from '../../../src/cli/social/messages/own-conversations.ts';
import { social } from '../../../src/contract/social.ts';
import { Problem } from '../../../src/base/problem.ts';

export default class SearchCommand extends ApiCommand {
  static override summary = 'Search your messages of the social network, the newest first';
  static override description =
    'Finds messages that have all words, each as a whole. Conditions: from:NAME, has:link, before:2026-01-31. Without --in, it searches the 100 conversations with the newest activity.';
  static override usage = 'social message search WORD... [--in NAME] [--limit N]';
  static override examples = [
    '<%= config.bin %> social message search roses',
    '<%= config.bin %> social message search --in bob cake before:2026-02-01',
  ];
  static override strict = false;
  static override args = { words: Args.string({ description: 'words and conditions' }) };
  static override flags = {
    in: Flags.string({
      description: 'only in this conversation: username or id of the other member, name of a group, or an id',
      helpValue: 'NAME',
    }),
    ...pageFlags(20),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SearchCommand);
    if (argv.length === 0) throw new Problem('invalid', 'USAGE', 'The words to search for are missing.');
    await using client = await this.connect(flags);
    const q = argv.join(' ');
    const within = flags.in === undefined ? undefined : await socialConversationNamed(client, flags.in);
    const { items: messages, ...more } =
      within === undefined
        ? await collectPages(client, social.searchMessages, { q }, 'messages', shownBy(flags))
        : await collectPages(client, social.searchConversation, { id: within.id, q }, 'messages', shownBy(flags));
    const names = flags.json || messages.length === 0 ? undefined : await namesOfSocialConversations(client);
    await this.answer({ messages, ...more }, (screen) => messagesText(screen, messages.map(asShown), names));
    if (messages.length === 0) this.say('No message found.');
    if (more.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
