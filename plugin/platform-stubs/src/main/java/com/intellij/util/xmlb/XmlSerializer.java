package com.intellij.util.xmlb;

import org.jdom.Element;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/util/src/com/intellij/util/xmlb/XmlSerializer.java. */
public final class XmlSerializer {
    private XmlSerializer() {
    }

    public static @NotNull Element serialize(@NotNull Object object) {
        throw new UnsupportedOperationException();
    }

    public static <T> @NotNull T deserialize(@NotNull Element element, @NotNull Class<T> aClass) {
        throw new UnsupportedOperationException();
    }
}
