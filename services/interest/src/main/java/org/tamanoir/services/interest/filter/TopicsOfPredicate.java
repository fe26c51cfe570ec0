package org.tamanoir.services.interest.filter;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * For events of which topics a predicate can be true at all: {@code topic == 'a' && data.t > 30.0} for those of {@code a} alone, {@code topic in ['a', 'b']} for two.
 * What cannot be told by these two and by and, or counts as all topics. That an operand may fail does not matter: what fails is not true.
 */
final class TopicsOfPredicate {
    private TopicsOfPredicate() {
    }

    /** @return null for all topics */
    static Set<String> of(CelAbstractSyntaxTree tree) {
        return of(tree.getExpr());
    }

    private static Set<String> of(CelExpr expression) {
        if (expression.getKind() != Kind.CALL) {
            return null;
        }
        List<CelExpr> operands = expression.call().args();
        if (operands.size() != 2) {
            return null;
        }
        CelExpr left = operands.get(0);
        CelExpr right = operands.get(1);
        return switch (expression.call().function()) {
            case "_==_" -> isTopic(left) ? texts(List.of(right)) : isTopic(right) ? texts(List.of(left)) : null;
            case "@in" -> isTopic(left) && right.getKind() == Kind.LIST ? texts(right.list().elements()) : null;
            case "_&&_" -> both(of(left), of(right));
            case "_||_" -> either(of(left), of(right));
            default -> null;
        };
    }

    private static boolean isTopic(CelExpr expression) {
        return expression.getKind() == Kind.IDENT && expression.ident().name().equals("topic");
    }

    private static Set<String> texts(List<CelExpr> elements) {
        Set<String> texts = new HashSet<>();
        for (CelExpr each : elements) {
            if (each.getKind() != Kind.CONSTANT || each.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
                return null;
            }
            texts.add(each.constant().stringValue());
        }
        return texts;
    }

    private static Set<String> both(Set<String> left, Set<String> right) {
        if (left == null || right == null) {
            return left == null ? right : left;
        }
        left.retainAll(right);
        return left;
    }

    private static Set<String> either(Set<String> left, Set<String> right) {
        if (left == null || right == null) {
            return null;
        }
        left.addAll(right);
        return left;
    }
}
