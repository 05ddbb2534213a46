import asyncHooks from 'node:async_hooks';

/**
 * Loaded into each test process, before `node:test`. To know which test declares a hook, or causes an error that is not caught,
 * Node's runner follows every promise with an async hook that also waits until the promise is collected. That costs a fifth of
 * the computing time of tests of a server. This gives the runner the same answer from the context that Node.js passes on anyway.
 */
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = asyncHooks;
const NO_HOOK = { enable: () => {}, disable: () => {} };

/** The id of the test or hook that runs. */
const current = /** @type {import('node:async_hooks').AsyncLocalStorage<number>} */ (new AsyncLocalStorage());
/** @type {NonNullable<import('node:async_hooks').HookCallbacks['init']>} */
let noteTest = () => {};

/** The base of the runner's tests and hooks. */
class FollowedResource extends AsyncResource {
  /**
   * @param {string} type
   * @param {import('node:async_hooks').AsyncResourceOptions} [options]
   */
  constructor(type, options) {
    super(type, options);
    noteTest(this.asyncId(), type, 0, this);
  }

  /**
   * @override
   * @template This, Result
   * @template {any[]} Args
   * @param {(this: This, ...args: Args) => Result} work
   * @param {This} [receiver]
   * @param {Args} args
   * @returns {Result}
   */
  runInAsyncScope(work, receiver, ...args) {
    return super.runInAsyncScope(() => current.run(this.asyncId(), () => Reflect.apply(work, receiver, args)));
  }
}

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  Object.assign(asyncHooks, {
    AsyncResource: FollowedResource,
    executionAsyncId: () => current.getStore() ?? 0,
    createHook: (/** @type {import('node:async_hooks').HookCallbacks} */ { init = noteTest }) => {
      noteTest = init;
      return NO_HOOK;
    },
  });
  await import('node:test');
  Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId });
}
