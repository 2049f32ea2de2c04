import { Phase, type ShutdownReason, type ShutdownTaskContext } from '../core/index.js';
import { SHUTDOWN_TASK_METADATA } from '../shutdown.constants.js';
import { readShutdownTasks, ShutdownTask } from './shutdown-task.decorator.js';

describe('@ShutdownTask', () => {
  it('stores phase and options on the method under a fixed key', () => {
    class Journal {
      @ShutdownTask(Phase.BeforeActorSystemTerminate, { name: 'flush', timeoutMs: 50 })
      flush(): void {}
    }

    expect(SHUTDOWN_TASK_METADATA).toBe('@roost/shutdown:task');
    expect(Reflect.getMetadata('@roost/shutdown:task', Journal.prototype.flush)).toEqual([
      { phase: 'before-actor-system-terminate', name: 'flush', timeoutMs: 50 },
    ]);
  });

  it('does not change the method itself', () => {
    const flush = (): string => 'flushed';
    const descriptor = { value: flush, configurable: true };

    expect(ShutdownTask(Phase.ServiceStop)({}, 'flush', descriptor)).toBeUndefined();
    expect(descriptor).toEqual({ value: flush, configurable: true });
  });

  it('keeps several decorators of one method in source order', () => {
    class Journal {
      @ShutdownTask('first')
      @ShutdownTask('second', { name: 'again' })
      @ShutdownTask('third')
      flush(): void {}
    }

    expect(readShutdownTasks(Journal.prototype.flush).map(({ phase }) => phase)).toEqual(['first', 'second', 'third']);
  });

  it('keeps methods, classes and statics apart', () => {
    class Journal {
      @ShutdownTask('instance')
      flush(): void {}
      @ShutdownTask('static')
      static flush(): void {}
      close(): void {}
    }

    expect(readShutdownTasks(Journal.prototype.flush)).toEqual([{ phase: 'instance' }]);
    expect(readShutdownTasks(Journal.flush)).toEqual([{ phase: 'static' }]);
    expect(readShutdownTasks(Journal.prototype.close)).toEqual([]);
    expect(readShutdownTasks(Journal)).toEqual([]);
  });

  it('keeps the tasks of an overridden method, and gives its override none', () => {
    class Base {
      @ShutdownTask('base')
      flush(): void {}
    }
    class Derived extends Base {
      @ShutdownTask('derived')
      override flush(): void {}
    }

    expect(readShutdownTasks(Base.prototype.flush)).toEqual([{ phase: 'base' }]);
    expect(readShutdownTasks(Derived.prototype.flush)).toEqual([{ phase: 'derived' }]);
  });

  it('accepts methods callable with a reason and a context, and rejects others at compile time', () => {
    class Accepted {
      @ShutdownTask(Phase.ServiceStop)
      nothing(): void {}
      @ShutdownTask('my-own-phase')
      async both(_reason: ShutdownReason, { signal }: ShutdownTaskContext): Promise<boolean> {
        return signal.aborted;
      }
      @ShutdownTask(Phase.ServiceStop)
      [Symbol.for('close')](_reason: ShutdownReason): void {}
    }
    class Refused {
      // @ts-expect-error the first argument is a reason, not a string
      @ShutdownTask(Phase.ServiceStop)
      wrongArgument(_reason: string): void {}
      // @ts-expect-error there is no third argument
      @ShutdownTask(Phase.ServiceStop)
      tooMany(_reason: ShutdownReason, _context: ShutdownTaskContext, _more: number): void {}
      // @ts-expect-error there is no such option
      @ShutdownTask(Phase.ServiceStop, { timeout: 5 })
      wrongOption(): void {}
    }
    const onProperty = () => {
      class Property {
        // @ts-expect-error a property is not a task
        @ShutdownTask(Phase.ServiceStop)
        flush = (): void => undefined;
      }
      return Property;
    };
    const onClass = () => {
      // @ts-expect-error a class is not a task
      @ShutdownTask(Phase.ServiceStop)
      class Whole {}
      return Whole;
    };

    expect([Accepted, Refused]).toHaveLength(2);
    expect(onProperty).toThrow();
    expect(onClass).toThrow();
  });
});
