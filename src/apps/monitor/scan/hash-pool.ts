import { availableParallelism } from 'node:os';
import { Worker as Thread } from 'node:worker_threads';
import type { HashReply, HashRequest } from './hash-thread.ts';

interface Job {
  readonly request: HashRequest;
  readonly resolve: (reply: HashReply) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_THREADS = 4;

/** A few threads that hash files, started on demand or ahead of it. */
export class HashPool {
  readonly size = Math.min(MAX_THREADS, availableParallelism());
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  readonly #threads: Thread[] = [];
  readonly #idle: Thread[] = [];
  readonly #running = new Map<Thread, Job>();
  readonly #waiting: Job[] = [];

  /** Starts all threads while the caller is still finding out what to hash. */
  warmUp(): void {
    while (this.#threads.length < this.size) this.#idle.push(this.#start());
  }

  run(request: HashRequest): Promise<HashReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** Aborts hashing; the replies mark the affected files as `stopped`. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const thread = this.#idle.pop() ?? (this.#threads.length < this.size ? this.#start() : undefined);
    const job = thread && this.#waiting.shift();
    if (!job) return;
    this.#running.set(thread, job);
    thread.postMessage(job.request);
  }

  #start(): Thread {
    const thread = new Thread(new URL('./hash-thread.js', import.meta.url), { workerData: this.#stop.buffer });
    thread.on('message', (reply: HashReply) => {
      const job = this.#removeJob(thread);
      this.#idle.push(thread);
      job?.resolve(reply);
      this.#next();
    });
    thread.on('error', (error) => this.#removeJob(thread)?.reject(error));
    thread.on('exit', () => this.#removeJob(thread)?.reject(new Error('a thread that hashed has ended')));
    this.#threads.push(thread);
    return thread;
  }

  #removeJob(thread: Thread): Job | undefined {
    const job = this.#running.get(thread);
    this.#running.delete(thread);
    return job;
  }
}
