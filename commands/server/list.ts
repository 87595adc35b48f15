import { ConclaveCommand } from '../../src/cli/command.ts';
import { listServers, serverTable } from '../../src/cli/known-servers.ts';

export default class List extends ConclaveCommand {
  static override summary = 'List the servers that you signed in at, and the one that commands use';
  static override description =
    'local is the store on this machine. --server and CONCLAVE_SERVER go before the server in use, and so do --data-dir and CONCLAVE_DATA_DIR.';
  static override examples = ['<%= config.bin %> server list'];

  async run(): Promise<void> {
    await this.parse(List);
    const servers = await listServers(this.terminal.env);
    await this.answer({ servers }, (screen) => serverTable(screen, servers));
  }
}
