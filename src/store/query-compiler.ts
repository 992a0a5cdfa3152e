import {
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type BinaryOperationNode,
  type QueryCompiler,
} from 'kysely';

/** Compiles statements. An empty list of values, which PostgreSQL cannot express, matches no row. */
export class StatementCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node;
    const isEmpty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0;
    if (isEmpty && OperatorNode.is(operator) && operator.operator === 'in') this.append('false');
    else if (isEmpty && OperatorNode.is(operator) && operator.operator === 'not in') this.append('true');
    else super.visitBinaryOperation(node);
  }
}

/** PostgreSQL, with statements as {@link StatementCompiler} writes them. */
export class StatementDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new StatementCompiler();
  }
}
