import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { listServers, serverTable } from '../../src/cli/accounts/known-servers.ts';

export default class List extends ConclaveCommand {
  static override summary = 'List the servers that are known here, which nodes they are, and the one that commands use';
  static override description =
    'local is the store on this machine. NODE is the id of the node that a server showed itself to be at the first sign-in; conclave status says it there. It stays known after a logout, until conclave server forget. --server and CONCLAVE_SERVER go before the server in use, and so do --data-dir and CONCLAVE_DATA_DIR.';
  static override examples = ['<%= config.bin %> server list'];

  async run(): Promise<void> {
    await this.parse(List);
    const servers = await listServers(this.terminal.env);
    await this.answer({ servers }, (screen) => serverTable(screen, servers));
  }
}
