import { Args, Flags } from '@oclif/core';
import { collectPages } from '../../src/client/pages.ts';
import { ChatCommand } from '../../src/cli/chat/sealed/chat-command.ts';
import { noteUnsearched, readableHits, searchableNamed } from '../../src/cli/chat/sealed/searching.ts';
import { messagesText } from '../../src/cli/chat/message-view.ts';
import { namesOfConversations } from '../../src/cli/chat/own-conversations.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { chat } from '../../src/contract/chat.ts';
import { Problem } from '../../src/base/problem.ts';

export default class SearchCommand extends ChatCommand {
  static override summary = 'Search what was said in your conversations, the newest first';
  static override description =
    'Finds messages that have all words, each as a whole. Conditions: from:NAME, has:link, has:file, before:2026-01-31. Without --in, it searches the 100 conversations with the newest activity. Those that only their members can read are not searched.';
  static override usage = 'chat search WORD... [--in WITH] [--limit N]';
  static override examples = [
    '<%= config.bin %> chat search roses',
    '<%= config.bin %> chat search --in "tea party" cake from:bob before:2026-02-01',
  ];
  static override strict = false;
  static override args = { words: Args.string({ description: 'words and conditions' }) };
  static override flags = {
    in: Flags.string({
      description: 'only in this conversation: username or id of the other member, a name, or an id',
      helpValue: 'WITH',
    }),
    ...pageFlags(20),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SearchCommand);
    if (argv.length === 0) throw new Problem('invalid', 'USAGE', 'The words to search for are missing.');
    await using client = await this.connect(flags);
    const within = flags.in === undefined ? undefined : await searchableNamed(this.side(client, {}), flags.in);
    const q = [...argv, ...(within === undefined ? [] : [`in:${within}`])].join(' ');
    const hits = await collectPages(client, chat.searchChat, { q }, 'items', shownBy(flags));
    const page = { ...hits, items: await readableHits(client, hits.items) };
    const names =
      flags.json || page.items.length === 0 ? new Map<string, string>() : await namesOfConversations(client);
    await this.answer(page, (screen) => messagesText(screen, page.items, names));
    if (page.items.length === 0) this.say('No message found.');
    if (within === undefined) await noteUnsearched(client, (text) => this.say(text));
    if (page.hasMore) this.say('There are more. Use --limit or --all.');
  }
}
