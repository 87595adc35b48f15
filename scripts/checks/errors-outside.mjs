import { writeFileSync } from 'node:fs';

/** A reporter that writes beside vitest's JSON report how many errors there were outside of the tests, which that leaves out. */
export default class ErrorsOutside {
  onInit(vitest) {
    this.file = `${vitest.config.outputFile.json}.errors`;
  }

  onTestRunEnd(_modules, errors) {
    writeFileSync(this.file, String(errors.length));
  }
}
