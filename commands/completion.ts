import { Args } from '@oclif/core';
import { ConclaveCommand } from '../src/cli/kit/command.ts';
import { completionScript, shells } from '../src/cli/kit/completion/script.ts';

export default class Completion extends ConclaveCommand {
  static override summary = 'Print a completion script for your shell';
  static override description = `bash: add to ~/.bashrc:  eval "$(conclave completion bash)"
zsh: add to ~/.zshrc, after compinit:  eval "$(conclave completion zsh)"
fish: conclave completion fish > ~/.config/fish/completions/conclave.fish`;
  static override examples = ['<%= config.bin %> completion bash'];
  static override args = {
    shell: Args.string({ description: 'shell to complete for', options: [...shells], required: true }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const script = completionScript(args.shell, this.config);
    await this.answer({ shell: args.shell, script }, () => script.trimEnd());
  }
}
