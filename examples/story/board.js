// @ts-check
/** The state of the story's tasks, one row each, read only from their events and records in the store. */

/**
 * @typedef {'queued' | 'working' | 'asking' | 'stopped' | 'done' | 'interrupted' | 'failed'} RowState
 * @typedef {object} Row
 * @property {string} taskId
 * @property {string} tool
 * @property {RowState} state
 * @property {number} attempt
 * @property {number} value from 0 to 1
 * @property {string} message
 * @property {string | undefined} worker the worker that holds the task
 */

export class Board {
  /** @type {Row[]} */
  rows = [];
  #engine;
  #onChange;

  /**
   * @param {import('holdfast').Engine} engine
   * @param {(rows: readonly Row[]) => void} onChange
   */
  constructor(engine, onChange) {
    this.#engine = engine;
    this.#onChange = onChange;
  }

  /** @param {import('holdfast').Task} task */
  add({ taskId, tool }) {
    this.rows.push({ taskId, tool, state: 'queued', attempt: 0, value: 0, message: '', worker: undefined });
    this.#onChange(this.rows);
  }

  /** @param {string} tool */
  find(tool) {
    const row = this.rows.find((one) => one.tool === tool);
    if (!row) throw new Error(`there is no row for ${tool}`);
    return row;
  }

  /**
   * Follows the events of every task until it has ended.
   *
   * @param {AbortSignal} signal
   */
  async follow(signal) {
    await Promise.all(this.rows.map((row) => this.#followRow(row, signal)));
  }

  /**
   * Marks the tasks of a dead worker as stopped: they do not move until they have been recovered.
   *
   * @param {string} workerId
   */
  stop(workerId) {
    for (const row of this.rows) {
      if (row.worker === workerId && row.state === 'working') row.state = 'stopped';
    }
    this.#onChange(this.rows);
  }

  /**
   * @param {Row} row
   * @param {AbortSignal} signal
   */
  async #followRow(row, signal) {
    for await (const event of this.#engine.watch(row.taskId, { signal })) {
      if (event.type === 'ended') await this.#end(row);
      else apply(row, event);
      this.#onChange(this.rows);
    }
  }

  /** @param {Row} row */
  async #end(row) {
    const { outcome } = await this.#engine.get(row.taskId);
    row.worker = undefined;
    if (outcome?.kind === 'result') {
      row.state = 'done';
      row.value = 1;
      row.message = String(outcome.value);
    } else {
      row.state = outcome?.kind === 'interrupted' ? 'interrupted' : 'failed';
      row.message = outcome?.kind === 'error' ? outcome.error.message : 'may not be repeated';
    }
  }
}

/** @type {(row: Row, event: import('holdfast').TaskEvent | import('holdfast').EventGap) => void} */
function apply(row, event) {
  switch (event.type) {
    case 'claimed':
      Object.assign(row, { state: 'working', attempt: event.attempt, worker: event.worker });
      row.message = event.fence > 1 ? 'goes on' : '';
      return;
    case 'progress':
      Object.assign(row, { value: event.value, message: event.message ?? row.message });
      return;
    case 'asked':
      Object.assign(row, { state: 'asking', message: 'waiting for an answer' });
      return;
    case 'answered':
      Object.assign(row, { state: row.worker ? 'working' : 'queued', message: 'answered' });
      return;
    case 'parked':
      row.worker = undefined;
      return;
    case 'stalled':
      row.message = 'its worker does not answer';
      return;
    case 'requeued':
      Object.assign(row, { state: 'queued', message: 'waiting for a worker', worker: undefined });
      return;
    // These do not change the row; the outcome is read from the task's record.
    case 'submitted':
    case 'taken-over':
    case 'adopted':
    case 'stepped':
    case 'spawned':
    case 'exited':
    case 'ended':
    case 'log':
    case 'stream':
    case 'gap':
      return;
  }
}
