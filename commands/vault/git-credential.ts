import { Args, Flags } from '@oclif/core';
import { text } from 'node:stream/consumers';
import { erase, fill, store } from '../../src/cli/passvault/git/git-credentials.ts';
import { parseGitCredential } from '../../src/cli/passvault/git/git-credential.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

const actions = { get: fill, store, erase } as const;

export default class GitCredential extends VaultCommand {
  static override summary = 'Be a credential helper of git';
  static override description = `Set up with: git config --global credential.helper '!<%= config.bin %> vault git-credential --vault Work'
git then gets the user name and password of the entry whose address fits, and what you type for a new one is added to the vault with the tag "git". Of what git finds refused, only entries with that tag are removed. A locked vault is opened with a password that you type at the terminal; where there is none, or GIT_TERMINAL_PROMPT is 0, it answers nothing, and git asks you.`;
  static override examples = [
    "printf 'protocol=https\\nhost=github.com\\n\\n' | <%= config.bin %> vault git-credential get",
  ];
  static override args = {
    // What other versions of git may ask for is left unanswered, as git wants it.
    action: Args.string({ description: 'get, store or erase; git says which', required: true }),
  };
  static override flags = {
    vault: Flags.string({
      description: 'the vault; without it, all that are open, and the only one for what is new',
      helpValue: 'NAME',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GitCredential);
    const credential = parseGitCredential(await text(this.terminal.stdin));
    if (!Object.hasOwn(actions, args.action)) return;
    await using session = await this.session(flags);
    const {
      answer = '',
      data,
      said,
    } = await actions[args.action as keyof typeof actions](session, credential, flags.vault);
    if (said !== undefined) this.say(`conclave: ${said}`);
    await this.answerText(data, answer, { newline: false });
  }
}
