// Stands for platform/platform-impl/src/com/intellij/ui/dsl/builder/align.kt.
package com.intellij.ui.dsl.builder

public sealed interface Align

public sealed interface AlignX : Align {
    public companion object {
        @JvmField
        public val FILL: AlignX = Fill
    }

    private object Fill : AlignX
}
