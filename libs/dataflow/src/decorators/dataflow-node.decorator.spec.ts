import { Injectable, Scope } from '@nestjs/common';
import { nodeOptionsOf } from '../core/node/declaration.js';
import { DataflowNode, GraphBuilder, NotANodeError } from '../index.js';

const scopeOf = (type: object): unknown => Reflect.getOwnMetadata('scope:options', type);

describe('@DataflowNode of @roost/dataflow', () => {
  it('makes a node and a provider', () => {
    @DataflowNode({ name: 'greeter' })
    class Greeter {}
    expect(nodeOptionsOf(Greeter)).toEqual({ name: 'greeter' });
    expect(Reflect.hasOwnMetadata('__injectable__', Greeter)).toBe(true);
  });

  it('keeps a scope, whichever decorator is first', () => {
    @DataflowNode()
    @Injectable({ scope: Scope.TRANSIENT })
    class Above {}

    @Injectable({ scope: Scope.TRANSIENT })
    @DataflowNode()
    class Below {}
    expect([Above, Below].map(scopeOf)).toEqual([{ scope: Scope.TRANSIENT }, { scope: Scope.TRANSIENT }]);
    expect([Above, Below].map(nodeOptionsOf)).toEqual([{}, {}]);
  });

  it('is not inherited, nor is the scope of a base class', () => {
    @DataflowNode()
    @Injectable({ scope: Scope.TRANSIENT })
    class Base {}
    class Plain extends Base {}

    @DataflowNode()
    class Node extends Base {}
    expect(() => new GraphBuilder().node(Plain)).toThrow(NotANodeError);
    expect(scopeOf(Node)).toBeUndefined();
  });
});
