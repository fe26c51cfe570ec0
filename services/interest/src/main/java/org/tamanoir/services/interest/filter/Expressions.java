package org.tamanoir.services.interest.filter;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelDescriptorUtil;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeBuilder;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.Base64;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Compiles predicates in CEL (cel.dev), checked by types, without what may cost much: no comprehensions ({@code all}, {@code map} …), no regular expressions, a bounded
 * text and a bounded tree. What is left costs no more than its nodes times the length of the event.
 */
public final class Expressions {
    /** Characters of a text. */
    static final int LONGEST = 1024;
    /** Nodes of the tree of a text. */
    static final int MOST_NODES = 64;
    private static final int DEEPEST = 32;
    /** Characters of descriptors in Base64. */
    static final int LONGEST_DESCRIPTORS = 64 * 1024;
    /** Their cost grows with the product of two lengths, or is that of building something. */
    private static final Set<String> FORBIDDEN = Set.of("matches", "timestamp", "duration");
    private static final CelOptions OPTIONS = CelOptions.current().maxExpressionCodePointSize(LONGEST).maxParseExpressionNodeCount(4 * MOST_NODES).maxParseRecursionDepth(DEEPEST)
            .maxParseErrorRecoveryLimit(1).enableHeterogeneousNumericComparisons(true).enableComprehension(false).build();

    private final CelCompiler compiler = declared(SimpleType.DYN).build();
    private final CelRuntime runtime = CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).build();

    private static CelCompilerBuilder declared(CelType data) {
        return CelCompilerFactory.standardCelCompilerBuilder().setOptions(OPTIONS).setStandardMacros(CelStandardMacro.HAS).addVar("data", data).addVar("topic", SimpleType.STRING)
                .addVar("x", SimpleType.DOUBLE).addVar("y", SimpleType.DOUBLE).addVar("size", SimpleType.INT).setResultType(SimpleType.BOOL);
    }

    /** @throws AnepException EE-109 if it is no predicate, EE-309 if it is too long or too large */
    public Where compile(Predicate predicate) {
        if (predicate.text().length() > LONGEST || predicate.descriptors() != null && predicate.descriptors().length() > LONGEST_DESCRIPTORS) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "an expression has at most " + LONGEST + " characters, and its descriptors " + LONGEST_DESCRIPTORS);
        }
        try {
            if (predicate.message() == null) {
                CelAbstractSyntaxTree tree = checked(compiler, predicate.text());
                return new Where(runtime.createProgram(tree), null, TopicsOfPredicate.of(tree));
            }
            Descriptor descriptor = descriptor(predicate);
            CelCompiler typed = declared(StructTypeReference.create(descriptor.getFullName())).addMessageTypes(descriptor).build();
            CelRuntimeBuilder made = CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).addMessageTypes(descriptor);
            CelAbstractSyntaxTree tree = checked(typed, predicate.text());
            return new Where(made.build().createProgram(tree), descriptor, TopicsOfPredicate.of(tree));
        } catch (CelValidationException | CelEvaluationException | InvalidProtocolBufferException | IllegalArgumentException | IllegalStateException e) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "'" + predicate.text() + "' is no predicate: " + e.getMessage(), e);
        } catch (StackOverflowError e) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "what the predicate names is nested too deeply", e);
        }
    }

    private static CelAbstractSyntaxTree checked(CelCompiler by, String text) throws CelValidationException {
        CelAbstractSyntaxTree tree = by.compile(text).getAst();
        if (CelNavigableAst.fromAst(tree).getRoot().allNodes().count() > MOST_NODES) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "an expression has at most " + MOST_NODES + " names, numbers and operators");
        }
        CelNavigableAst.fromAst(tree).getRoot().allNodes().forEach(node -> {
            if (node.getKind() == CelExpr.ExprKind.Kind.CALL && FORBIDDEN.contains(node.expr().call().function()) || node.getKind() == CelExpr.ExprKind.Kind.COMPREHENSION) {
                throw new AnepException(ErrorCode.SERVICE_REFUSED,
                        "a predicate has no regular expressions, no times, and goes through no lists; it has contains, startsWith and endsWith");
            }
        });
        return tree;
    }

    private static Descriptor descriptor(Predicate predicate) throws InvalidProtocolBufferException {
        FileDescriptorSet files = FileDescriptorSet.parseFrom(Base64.getDecoder().decode(predicate.descriptors()));
        Iterable<FileDescriptor> all = CelDescriptorUtil.getFileDescriptorsFromFileDescriptorSet(files);
        for (FileDescriptor file : all) {
            String prefix = file.getPackage().isEmpty() ? "" : file.getPackage() + ".";
            String local = predicate.message().startsWith(prefix) ? predicate.message().substring(prefix.length()) : "";
            Descriptor found = local.isEmpty() ? null : file.findMessageTypeByName(local);
            if (found != null) {
                return found;
            }
        }
        throw new IllegalArgumentException("the descriptors have no message " + predicate.message());
    }
}
