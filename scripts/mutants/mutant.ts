/** One check that is taken away, or turned round. */
export interface Mutant {
  readonly file: string;
  /** what is gone then */
  readonly what: string;
  /** stands in the file once */
  readonly from: string;
  readonly to: string;
  /** if only this engine can notice; default: the embedded one does */
  readonly engine?: 'postgres';
  /** the files whose tests are to notice */
  readonly tests: readonly string[];
}
