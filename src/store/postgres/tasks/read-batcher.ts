/**
 * Merges reads of single rows into one statement: hundreds of tasks are read at once, and each would cost a statement.
 *
 * A read is never answered by a statement that was sent before the read was requested, so no caller gets an older state than
 * with a read of its own.
 */
interface Waiting<Row> {
  readonly key: string;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Limited because rows may be long. */
const MAX_BATCH = 64;
/** Writers need the other connections of the pool. */
const AT_ONCE = 2;

export class ReadBatcher<Row extends { readonly id: string }> {
  readonly #read: (keys: readonly string[]) => Promise<readonly Row[]>;
  #waiting: Waiting<Row>[] = [];
  #running = 0;
  #isArmed = false;

  constructor(read: (keys: readonly string[]) => Promise<readonly Row[]>) {
    this.#read = read;
  }

  /** Callers with the same key get the same object. */
  find(key: string): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      this.#arm();
    });
  }

  #arm(): void {
    if (this.#isArmed || this.#running >= AT_ONCE) return;
    this.#isArmed = true;
    setImmediate(() => {
      this.#isArmed = false;
      while (this.#waiting.length > 0 && this.#running < AT_ONCE)
        void this.#runBatch(this.#waiting.splice(0, MAX_BATCH));
    });
  }

  async #runBatch(batch: readonly Waiting<Row>[]): Promise<void> {
    this.#running += 1;
    try {
      const rows = await this.#read([...new Set(batch.map(({ key }) => key))]);
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#arm();
    }
  }
}
