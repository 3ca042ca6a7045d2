package com.intellij.openapi.ide;

import java.awt.datatransfer.Transferable;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/ide/CopyPasteManager.java. */
public abstract class CopyPasteManager {
    public static CopyPasteManager getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract void setContents(@NotNull Transferable content);
}
