import { Args, Flags } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeLinesForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { hubNamed } from '../../../src/cli/social/hub-named.ts';
import { trustTiers, type TrustTier } from '../../../src/contract/social/hub.ts';
import { social } from '../../../src/contract/social.ts';

export default class Create extends ApiCommand {
  static override summary = 'Create a hub, as its owner';
  static override description =
    'In an open hub all members may post, in a verified one those whose identity is verified. What posts of an encrypted hub say is stored under a key that changes with its members; whether a hub is encrypted cannot be changed later.';
  static override examples = [
    '<%= config.bin %> social hub create "Garden and bees"',
    '<%= config.bin %> social hub create Harvest --below garden-and-bees --tier verified',
  ];
  static override args = { name: Args.string({ description: 'name of the hub', required: true }) };
  static override flags = {
    slug: Flags.string({ description: 'name in addresses; made from the name without it', helpValue: 'SLUG' }),
    description: Flags.string({ description: 'what the hub is about', helpValue: 'TEXT' }),
    rules: Flags.string({ description: 'rules of the hub', helpValue: 'TEXT' }),
    icon: Flags.string({ description: 'an emoji, or the address of a picture', helpValue: 'TEXT' }),
    tier: Flags.string({ description: 'who may post', options: [...trustTiers] }),
    below: Flags.string({ description: 'the hub above it', helpValue: 'HUB' }),
    default: Flags.boolean({ description: 'suggest it to everybody first; for administrators' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Create);
    await using client = await this.connect(flags);
    const { slug, description, rules, icon, tier, below } = flags;
    const parent = below === undefined ? undefined : await hubNamed(client, below);
    const hub = await perform(client, social.createHub, {
      name: args.name,
      ...(slug !== undefined && { slug }),
      ...(description !== undefined && { description }),
      ...(rules !== undefined && { rules }),
      ...(icon !== undefined && { icon }),
      ...(tier !== undefined && { trustTier: tier as TrustTier }),
      ...(parent !== undefined && { parentHubId: parent.id }),
      ...(flags.default && { isDefault: true }),
    });
    await this.answer(hub, () =>
      escapeLinesForTerminal(`Created the hub ${hub.slug}.\nOthers join with: conclave social hub join ${hub.slug}`),
    );
  }
}
