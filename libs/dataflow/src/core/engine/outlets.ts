import type { EdgeModel } from '../graph/model.js';
import type { Sealed } from '../payload/seal.js';
import { isSame, NO_DELAY, type Tag } from '../time/tag.js';
import { DelayLine } from './delay-line.js';
import { DueTags } from './due-tags.js';
import { InputEntry, type InputSlot } from './slots.js';

/** Destination of the values of an output. */
export interface Outlet {
  carry(sealed: Sealed): void;
}

/** Sends a value to another process, or to another partition of this process. */
export type SendAway = (edge: EdgeModel, tag: Tag, sealed: Sealed) => void;

export function outletTo(edge: EdgeModel, input: InputSlot): Outlet {
  if (edge.isPhysical) return new PhysicalEntry(input, edge.position);
  const { delay, position } = edge;
  if (isSame(delay, NO_DELAY)) return new DirectEntry(input, position);
  const entry = new InputEntry(input, position);
  const line = new DelayLine(delay);
  const { scheduler } = input.node;
  return {
    carry: (sealed) => {
      const { time, microstep } = line.arrivalOf(scheduler.tag);
      scheduler.queue.push(time, microstep, entry, sealed);
    },
  };
}

/** Delivers values at the same tag. */
class DirectEntry extends InputEntry implements Outlet {
  carry(sealed: Sealed): void {
    this.slot.receive(this.position, sealed);
  }
}

/** Tags arriving values with the time on the clock. */
export class PhysicalEntry extends InputEntry implements Outlet {
  readonly #due = new DueTags();

  carry(sealed: Sealed): void {
    const { scheduler, name } = this.slot.node;
    const tag = this.#due.freeFrom(scheduler.physicalTag());
    if (!scheduler.acceptsPhysical || scheduler.isTooLate(tag)) return scheduler.dropped(`${name}.${this.slot.name}`);
    this.push(tag, sealed);
    scheduler.arrived({ node: name, port: this.slot.name, position: this.position, tag, value: sealed.value });
  }

  push(tag: Tag, sealed: Sealed): Tag {
    const free = this.#due.take(tag);
    this.slot.node.scheduler.queue.push(free.time, free.microstep, this, sealed);
    return free;
  }

  override accept(sealed: Sealed): void {
    this.#due.release(this.slot.node.scheduler.tag);
    super.accept(sealed);
  }
}
