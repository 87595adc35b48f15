import { Args, Flags } from '@oclif/core';
import { text } from 'node:stream/consumers';
import { erase, fill, store } from '../../src/cli/passvault/git/git-credentials.ts';
import { parseGitCredential } from '../../src/cli/passvault/git/git-credential.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

const actions = { get: fill, store, erase } as const;

export default class GitCredential extends VaultCommand {
  static override summary = 'Act as a git credential helper';
  static override description = `Set up with: git config --global credential.helper '!<%= config.bin %> vault git-credential --vault Work'
git then gets the user name and password of the entry whose address matches. New credentials that you type are added to the vault with the tag "git". When a server refuses credentials, only entries with that tag are removed. A locked vault asks for its password on the terminal. Without a terminal, or with GIT_TERMINAL_PROMPT=0, the helper answers nothing, and git asks you.`;
  static override examples = [
    "printf 'protocol=https\\nhost=github.com\\n\\n' | <%= config.bin %> vault git-credential get",
  ];
  static override args = {
    // git requires helpers to ignore unknown operations.
    action: Args.string({ description: 'get, store or erase, as git passes it', required: true }),
  };
  static override flags = {
    vault: Flags.string({
      description: 'vault to use; without it, all open vaults, and for new credentials the only one',
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
