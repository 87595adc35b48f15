import { channelColumns } from '../../../src/cli/chat/channel-views.ts';
import { ListCommand, listing, pageFlags } from '../../../src/cli/kit/list-command.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class List extends ListCommand {
  static override summary = 'List the public and private channels of this node, in the order of their names';
  static override description =
    'Whether you are in them or not. Secret and invisible ones are not in it: conclave chat list has all that you are in.';
  static override examples = ['<%= config.bin %> chat channel list'];
  static override flags = pageFlags(50);

  protected readonly shows = listing(chat.listChannels, 'items', channelColumns);
  protected override readonly none =
    'There are no channels here. To create one, run: conclave chat channel create NAME';
}
